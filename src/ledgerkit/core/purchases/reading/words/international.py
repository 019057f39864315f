"""Vendors that sell in many countries, and English words, by category of expense; as of 2026-11."""

from collections.abc import Mapping, Sequence

INTERNATIONAL_WORDS: Mapping[str, Sequence[str]] = {
    "office": (
        *("stationery", "office", "paper", "printer", "desk", "chair"),
        *("postage", "courier", "dhl", "ups", "fedex"),
    ),
    "software": (
        *("software", "license", "licence", "subscription", "hosting", "domain", "cloud", "saas", "server", "github"),
        *("gitlab", "aws", "azure", "digitalocean", "hetzner", "ovh", "cloudflare", "adobe", "figma", "notion"),
        *("slack", "zoom", "dropbox", "microsoft", "jetbrains", "openai", "anthropic", "atlassian", "canva", "godaddy"),
    ),
    "travel": (
        *("travel", "hotel", "flight", "train", "taxi", "airbnb", "booking", "uber", "lufthansa", "easyjet", "hertz"),
        *("avis", "europcar", "hostel", "airline", "trainline"),
    ),
    "meals": ("meal", "lunch", "dinner", "breakfast", "restaurant", "coffee", "starbucks", "deliveroo"),
    "vehicle": ("garage", "tyre", "car", "parking", "toll", "repair"),
    "fuel": ("fuel", "petrol", "diesel", "gasoline"),
    "rent": ("rent", "lease", "coworking"),
    "utilities": ("electricity", "water", "energy", "heating"),
    "telecom": ("phone", "mobile", "internet", "broadband", "telecom"),
    "professional": ("lawyer", "accountant", "notary", "consulting", "legal", "audit"),
    "marketing": ("advertising", "marketing", "ads", "campaign", "printing", "mailchimp", "linkedin"),
    "insurance": ("insurance", "policy", "premium", "axa", "allianz"),
    "training": ("course", "training", "book", "seminar", "conference", "udemy", "coursera"),
    "bank": ("bank", "fee", "interest", "loan", "stripe", "paypal", "wise", "sumup"),
    "taxes": ("tax", "duty", "customs"),
    "goods": ("goods", "stock", "wholesale", "merchandise", "material"),
}
