"""The web app: the files that Vite has built, served at `/`."""

from ledgerkit.web.dist import DIRECTORY, Dist
from ledgerkit.web.route import WebAppRoute

__all__ = ["DIRECTORY", "Dist", "WebAppRoute"]
