"""A host of MCP Apps for tests: it calls tools, fetches their views, and shows one with an answer in a closed frame."""

from dataclasses import dataclass
from typing import Any

from playwright.async_api import Frame, FrameLocator, Page

from support.api import Api
from support.eras import MODERN

OF_THE_HOST = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; media-src 'self' data:; connect-src 'none'"
)
"""Policy of a host for a view that asks for nothing. Source: the extension's specification of 2026-01-26."""

HOST = """<!doctype html>
<html lang="en"><head><title>A conversation</title></head>
<body style="margin: 0">
<iframe title="view" sandbox="allow-scripts" style="display: block; width: 100%; border: 0"></iframe>
<script>
  const frame = document.querySelector("iframe");
  const messages = [];
  const tell = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const notify = (name, params) => tell({ method: `ui/notifications/${name}`, params });
  let setup;
  addEventListener("message", ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    messages.push(data);
    if (data.method === "ui/initialize") {
      const { context: hostContext, capabilities: hostCapabilities } = setup;
      const hostInfo = { name: "a test", version: "1" };
      tell({ id: data.id, result: { protocolVersion: "2026-01-26", hostInfo, hostCapabilities, hostContext } });
    } else if (data.method === "ui/notifications/initialized" && setup.result) {
      notify("tool-input", { arguments: {} });
      notify("tool-result", setup.result);
    } else if (data.method === "ui/notifications/size-changed") {
      frame.style.height = `${data.params.height}px`;
    } else if (data.id !== undefined && data.method) {
      tell({ id: data.id, result: {} });
    }
  });
</script>
</body></html>"""


@dataclass
class Assistant:
    """A host's connection with a person's key."""

    person: Api

    async def _asked(self, method: str, **params: Any) -> Any:
        meta = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
        headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": MODERN}
        headers |= {"Mcp-Method": method, "Authorization": f"Bearer {self.person.api_key}"}
        if name := params.get("name", params.get("uri")):
            headers["Mcp-Name"] = name
        call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
        answer = await self.person.client.post("/mcp", headers=headers, json=call)
        assert answer.status_code == 200, answer.text
        return answer.json()["result"]

    async def called(self, tool: str, **arguments: Any) -> Any:
        """Result of a tool, as the protocol has it."""
        return await self._asked("tools/call", name=tool, arguments=arguments)

    async def done(self, tool: str, **arguments: Any) -> Any:
        """Result of a tool that is confirmed by its token."""
        token = (await self.called(tool, **arguments))["structuredContent"]["confirmationToken"]
        return await self.called(tool, **arguments, confirmation_token=token)

    async def page_for(self, tool: str) -> str:
        """HTML of the view that the listing names for the tool."""
        listing = (await self._asked("tools/list"))["tools"]
        (uri,) = [each["_meta"]["ui"]["resourceUri"] for each in listing if each["name"] == tool]
        (content,) = (await self._asked("resources/read", uri=uri))["contents"]
        assert content["mimeType"] == "text/html;profile=mcp-app"
        return str(content["text"])


@dataclass
class ShownView:
    """A view in the frame of a host's page."""

    page: Page

    @property
    def locator(self) -> FrameLocator:
        return self.page.frame_locator("iframe")

    @property
    def frame(self) -> Frame:
        return self.page.frames[1]

    async def text(self) -> str:
        return await self.locator.locator("main").inner_text()

    async def sent(self) -> list[Any]:
        """Messages of the view to its host, in their order."""
        return list(await self.page.evaluate("messages"))

    async def notify(self, name: str, params: Any) -> None:
        await self.page.evaluate("([name, params]) => notify(name, params)", [name, params])

    async def overflow(self) -> int:
        """Pixels by which the view is wider than its frame."""
        return int(await self.frame.evaluate("document.documentElement.scrollWidth - innerWidth"))


async def shown(page: Page, html: str, result: Any, *, opens_links: bool = True, **context: Any) -> ShownView:
    """Show a view with a tool's result; `context` is the host's theme, locale and time zone."""
    await page.goto("about:blank")
    await page.set_content(HOST)
    await page.evaluate(
        "([html, all]) => { setup = all; frame.srcdoc = html; }",
        [
            html.replace("<head>", f'<head><meta http-equiv="Content-Security-Policy" content="{OF_THE_HOST}">'),
            {"result": result, "context": context, "capabilities": {"openLinks": {}} if opens_links else {}},
        ],
    )
    await page.wait_for_function("messages.some(({ method }) => method === 'ui/notifications/size-changed')")
    return ShownView(page)
