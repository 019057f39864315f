"""Generator of Spanish receipts and supplier invoices: images, and the truth beside each.

`specimen(seed)` is deterministic: seed, split and fonts decide every pixel. The split `held_out` has layouts, fonts and
seeds that no rule was tuned on.
"""

from support.receipts.specimens import Condition, Specimen, Split, specimen

__all__ = ["Condition", "Specimen", "Split", "specimen"]
