import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ProblemError } from "./api/problem";
import { App } from "./app/App";
import { applyTheme } from "./app/theme";
import "../../src/ledgerkit/core/platform/pages/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/parts.css";
import "./styles/shell.css";

const RETRIES = 2;

/** Reads are tried again where the server was not reached or not ready; refusals are final. */
function isWorthRetrying(failures: number, error: Error): boolean {
  return failures < RETRIES && error instanceof ProblemError && (error.status === 0 || error.status >= 502);
}

const queries = new QueryClient({
  defaultOptions: { queries: { staleTime: 15_000, retry: isWorthRetrying, networkMode: "always" } },
});

applyTheme();
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );
}
