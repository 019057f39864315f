import type { Texts } from "../../texts/define";
import type { changes as spanish } from "./changes.es";

export const changes: Texts<typeof spanish> = {
  field_amountPaid: "Received",
  field_category: "Category",
  field_priority: "Priority",
  field_role: "Role",
  field_status: "Status",
  field_vendorCountry: "Vendor's country",
  value_backlog: "Ideas",
  value_todo: "To do",
  value_in_progress: "In progress",
  value_review: "In review",
  value_done: "Done",
  value_low: "Low",
  value_medium: "Medium",
  value_high: "High",
  value_urgent: "Urgent",
  value_sent: "Issued",
  value_paid: "Paid",
  value_pending: "To pay",
  nothing: "empty",
  becomes: "becomes",
  others: { one: "and one more field", other: "and {count} more fields" },
};
