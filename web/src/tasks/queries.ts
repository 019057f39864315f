import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, take, takePage, takeVersioned } from "../api/client";
import { useSession, useTeam } from "../app/session";
import { daysLater, today } from "../texts/formats";
import { useFilters } from "../ui/filters";
import { PRIORITIES, type TaskPriority } from "./columns";

export interface TaskFilter {
  priority?: TaskPriority;
  assignedTo?: string;
  dueBefore?: string;
}

/** The filter of the board as the address holds it. */
export function useTaskFilter(): TaskFilter {
  const { get } = useFilters();
  const { user } = useSession().session;
  const { timezone } = useTeam();
  const priority = PRIORITIES.find((priority) => priority === get("priority"));
  const due = { overdue: today(timezone), week: daysLater(today(timezone), 8) }[get("due") ?? ""];
  return {
    ...(priority ? { priority } : {}),
    ...(get("who") === "mine" && user ? { assignedTo: user.id } : {}),
    ...(due ? { dueBefore: due } : {}),
  };
}

export function useTasks(filter: TaskFilter) {
  return useQuery({
    queryKey: ["tasks", "list", filter],
    queryFn: ({ signal }) => takePage(api.GET("/api/tasks", { params: { query: filter }, signal })),
    placeholderData: keepPreviousData,
  });
}

export function useTaskOverview() {
  return useQuery({
    queryKey: ["tasks", "overview"],
    queryFn: ({ signal }) => take(api.GET("/api/tasks/overview", { signal })),
  });
}

export function useTask(id: string) {
  return useQuery({
    queryKey: ["tasks", "task", id],
    queryFn: ({ signal }) => takeVersioned(api.GET("/api/tasks/{id}", { params: { path: { id } }, signal })),
  });
}

export function useTaskHistory(id: string) {
  return useQuery({
    queryKey: ["tasks", "history", id],
    queryFn: ({ signal }) => take(api.GET("/api/tasks/{id}/history", { params: { path: { id } }, signal })),
  });
}

export interface Person {
  id: string;
  name: string;
}

/** Who a task may be assigned to: the team's members; in a personal workspace oneself. */
export function usePeople(): readonly Person[] {
  const { isTeam } = useTeam();
  const { user } = useSession().session;
  const members = useQuery({
    queryKey: ["team", "members", "all"],
    queryFn: ({ signal }) => take(api.GET("/api/teams/current/members", { signal })),
    enabled: isTeam,
  });
  if (members.data)
    return members.data.map(({ userId, name, email }) => ({ id: userId, name: name || email }));
  return user ? [{ id: user.id, name: user.name || user.email }] : [];
}
