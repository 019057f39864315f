"""MCP Inspector's command line in its three eras, and the sign-ins of Inspector and mcp-remote."""

import json

from conformance.node_tools import INSPECTOR, MCP_REMOTE, Finished, NodeTools
from conformance.results import Result
from conformance.site import HOST, Site
from support.ports import free_port

ERAS = ("legacy", "auto", "modern")


async def inspector(site: Site, tools: NodeTools) -> list[Result]:
    """List and use tools, resources and prompts with an API key, in each era. `--strict` refuses unportable schemas."""
    invoice = f"ledgerkit://invoices/{site.draft['id']}"
    questions = {
        "tools/list --strict": (["--method", "tools/list", "--strict"], "create_invoice"),
        "tools/call whoami": (["--method", "tools/call", "--tool-name", "whoami"], site.person.email),
        "tools/call get_invoice": (
            [
                *["--method", "tools/call", "--tool-name", "get_invoice"],
                *["--tool-args-json", json.dumps({"id": site.draft["id"]})],
            ],
            site.draft["id"],
        ),
        "resources/list": (["--method", "resources/list"], "ledgerkit://context"),
        "resources/templates/list": (["--method", "resources/templates/list"], "ledgerkit://invoices/"),
        "resources/read": (["--method", "resources/read", "--uri", invoice], site.draft["id"]),
        "prompts/list": (["--method", "prompts/list"], "quarterly_vat_review"),
        "prompts/get": (
            ["--method", "prompts/get", "--prompt-name", "quarterly_vat_review", "--prompt-args", "quarter=3"],
            "generate_tax_declaration",
        ),
    }
    access = [site.endpoint, "--header", f"x-api-key: {site.person.api_key}"]
    results = []
    for era in ERAS:
        for name, (arguments, expected) in questions.items():
            finished = await tools.run(INSPECTOR, "--cli", *access, "--protocol-era", era, *arguments)
            results.append(Result("Inspector", f"{name}, {era}", _problem(finished, expected)))
    return results


async def sign_ins(site: Site, tools: NodeTools) -> list[Result]:
    """Sign in through the pages and list tools: Inspector and mcp-remote register, ask and redeem by themselves."""
    callback = f"http://{HOST}:{free_port()}/oauth/callback"
    arguments = [site.endpoint, "--callback-url", callback, "--method", "tools/list"]
    inspected = await tools.run(INSPECTOR, "--cli", *arguments, visit=site.let_in)
    remote = await tools.run(MCP_REMOTE, site.endpoint, str(free_port()), "--auth-timeout", "60", visit=site.let_in)
    return [
        Result("Inspector", "sign-in, tools/list", _problem(inspected, "create_invoice")),
        Result("mcp-remote", "sign-in, tools/list", _problem(remote, '"create_invoice"')),
        Result("mcp-remote", "sign-in, resources/list", _problem(remote, '"ledgerkit://context"')),
    ]


def _problem(finished: Finished, expected: str) -> str | None:
    """Return None for an exit code of 0 and an output with `expected` in it, otherwise the output's end."""
    if finished.code == 0 and expected in finished.output:
        return None
    return f"exit code {finished.code}, {expected} expected, got: ...{finished.output[-600:]}"
