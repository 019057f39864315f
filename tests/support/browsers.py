"""A browser without scripts: it keeps cookies, follows links when told to, and fills in forms as people see them."""

from dataclasses import dataclass
from typing import Any

import httpx2
from fastapi import FastAPI
from lxml import html

BASE = "http://127.0.0.1:8000"


@dataclass
class Page:
    """An answer, and what its visitor sees in it."""

    answer: httpx2.Response

    @property
    def root(self) -> html.HtmlElement:
        return html.fromstring(self.answer.text)

    @property
    def text(self) -> str:
        """All that is shown, with single spaces."""
        (main,) = self.root.xpath("//main")
        return " ".join(main.text_content().split())

    @property
    def title(self) -> str:
        (heading,) = self.root.xpath("//h1")
        return str(heading.text_content())

    @property
    def alert(self) -> str | None:
        """Text of what went wrong."""
        alerts = self.root.xpath("//*[@role='alert']")
        return str(alerts[0].text_content()) if alerts else None

    @property
    def warnings(self) -> list[str]:
        return [str(one.text_content()) for one in self.root.xpath("//p[@class='warning']")]

    def fields(self) -> dict[str, str]:
        """Fields of the form as it would be sent untouched, without those of buttons."""
        (form,) = self.root.forms
        empty = {one.get("name"): "" for one in form.xpath(".//input[@type='email' or @type='password']")}
        disabled = {one.get("name") for one in form.xpath(".//input[@disabled]")}
        return empty | {name: value for name, value in form.form_values() if name not in disabled}

    def options(self, kind: str) -> dict[str, bool]:
        """Labels of the radio buttons or checkboxes, each with its state."""
        boxes = self.root.xpath(f"//input[@type='{kind}']")
        return {self.label(box): box.get("checked") is not None for box in boxes}

    def hint(self, label: str) -> str:
        """The explanation under the option with a label."""
        (box,) = [
            one for one in self.root.xpath("//input[@type='radio' or @type='checkbox']") if self.label(one) == label
        ]
        (hint,) = self.root.xpath(f"//*[@id='{box.get('aria-describedby')}']")
        return str(hint.text_content())

    def value(self, label: str) -> str:
        """The value that is sent for the option with a label."""
        (box,) = [one for one in self.root.xpath("//input[@type='radio']") if self.label(one) == label]
        return str(box.get("value"))

    def label(self, box: html.HtmlElement) -> str:
        (label,) = self.root.xpath(f"//label[@for='{box.get('id')}']")
        return str(label.text_content())

    def buttons(self) -> dict[str, str]:
        """Labels of the buttons, with the value that each sends."""
        return {str(one.text_content()): one.get("value") or "" for one in self.root.xpath("//button")}


class Browser:
    """One person's browser, on an application in process or, without one, on servers."""

    def __init__(self, app: FastAPI | None, language: str = "en") -> None:
        transport = None if app is None else httpx2.ASGITransport(app, raise_app_exceptions=False)
        self.http = httpx2.AsyncClient(
            transport=transport, base_url=BASE, headers={"Accept-Language": language}, timeout=60
        )

    async def open(self, address: str) -> Page:
        """The page at an address, behind redirects on this server."""
        answer = await self.http.get(address, follow_redirects=True)
        return Page(answer)

    async def press(self, page: Page, action: str, **changed: str | None) -> httpx2.Response:
        """Press the button that sends `action`, with some fields changed; those changed to None are not sent."""
        fields: dict[str, Any] = page.fields() | {"action": action} | changed
        sent = {name: value for name, value in fields.items() if value is not None}
        return await self.http.post(str(page.answer.url), data=sent)

    async def answer(self, page: Page, action: str, **changed: str | None) -> Page:
        """The page that comes after a button."""
        answer = await self.press(page, action, **changed)
        location = answer.headers.get("location")
        return Page(answer) if location is None else await self.open(location)

    async def log_in(self, page: Page, email: str, password: str) -> Page:
        return await self.answer(page, "login", email=email, password=password)
