"""Back up and restore a whole installation: its database, its secret key and the files of its data directory."""

from ledgerkit.core.operation.backup.archive.file import BackupError, Manifest
from ledgerkit.core.operation.backup.archive.restore import Restored, restore
from ledgerkit.core.operation.backup.archive.writer import Installation, write

__all__ = ["BackupError", "Installation", "Manifest", "Restored", "restore", "write"]
