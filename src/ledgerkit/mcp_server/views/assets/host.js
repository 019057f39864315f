"use strict";
/* The dialect of MCP Apps: JSON-RPC with the host by postMessage. The view calls no tool and asks for nothing else. */

const PROTOCOL = "2026-01-26";
const host = { context: {}, capabilities: {} };
const requests = new Map();
let result;
let isCancelled = false;

function send(message) {
  // A view does not learn its host's origin. Nothing secret is sent.
  window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

function request(method, params) {
  const id = requests.size + 1;
  send({ id, method, params });
  return new Promise((resolve, reject) => requests.set(id, { resolve, reject }));
}

const NOTIFICATIONS = {
  "ui/notifications/tool-result": (params) => {
    result = params;
    draw();
  },
  "ui/notifications/tool-cancelled": () => {
    isCancelled = true;
    draw();
  },
  "ui/notifications/host-context-changed": (params) => {
    Object.assign(host.context, params);
    draw();
  },
};
const ANSWERED = ["ping", "ui/resource-teardown"];

window.addEventListener("message", ({ source, data }) => {
  if (source !== window.parent || data?.jsonrpc !== "2.0") return;
  const { id, method, params } = data;
  if (method === undefined) {
    const { resolve, reject } = requests.get(id) ?? {};
    if (data.error) reject?.(new Error(data.error.message));
    else resolve?.(data.result);
  } else if (id === undefined) {
    if (Object.hasOwn(NOTIFICATIONS, method)) NOTIFICATIONS[method](params ?? {});
  } else if (ANSWERED.includes(method)) {
    send({ id, result: {} });
  } else {
    send({ id, error: { code: -32601, message: "Method not found" } });
  }
});

async function connect() {
  const appInfo = { name: "ledgerkit", version: VERSION };
  const appCapabilities = { availableDisplayModes: ["inline"] };
  const answer = await request("ui/initialize", { protocolVersion: PROTOCOL, appInfo, appCapabilities });
  Object.assign(host.context, answer.hostContext);
  Object.assign(host.capabilities, answer.hostCapabilities);
  draw();
  send({ method: "ui/notifications/initialized", params: {} });
  new ResizeObserver(tellSize).observe(document.documentElement);
}

function tellSize() {
  const { width, height } = document.documentElement.getBoundingClientRect();
  send({ method: "ui/notifications/size-changed", params: { width: Math.ceil(width), height: Math.ceil(height) } });
}
