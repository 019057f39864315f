import { keyed, useAction } from "../api/actions";
import { api, take } from "../api/client";
import { doubtWords } from "../ui/doubtWords";
import { toast } from "../ui/toasts";
import type { Expense, ExpenseInput } from "./queries";

export const REFRESHES = [["expenses"], ["vendors"], ["reports"], ["overview"], ["declarations"]];

export function useCreateExpense(onDone: (expense: Expense) => void) {
  return useAction({
    run: (body: ExpenseInput, key) => take(api.POST("/api/expenses", { body, headers: keyed(key) })),
    refreshes: REFRESHES,
    onDone,
  });
}

/** Accept a receipt of the queue; `id` is that of its entry. */
export function useAcceptReceipt(onDone: (id: string) => void) {
  return useAction({
    run: ({ body }: { id: string; body: ExpenseInput }, key) =>
      take(api.POST("/api/expenses", { body, headers: keyed(key) })),
    refreshes: REFRESHES,
    onDone: ({ warnings }, { id }) => {
      for (const warning of warnings) toast(doubtWords(warning));
      onDone(id);
    },
  });
}

export function useDeleteExpense(onDone: () => void) {
  return useAction({
    run: (id: string) => take(api.DELETE("/api/expenses/{id}", { params: { path: { id } } })),
    refreshes: REFRESHES,
    onDone,
  });
}

/** A proposal for the category, by the description and the vendor. It takes one AI action. */
export function useCategorize(onDone: (category: string) => void) {
  return useAction({
    run: (words: { description: string; vendor: string }, key) =>
      take(api.POST("/api/expenses/categorize", { body: words, headers: keyed(key) })),
    refreshes: [["ai"]],
    onDone: ({ category }) => onDone(category),
  });
}
