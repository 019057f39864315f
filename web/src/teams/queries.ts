import { useQuery } from "@tanstack/react-query";
import { api, take, takePage, type Schemas } from "../api/client";

export type Member = Schemas["TeamMember"];
export type AssignableRole = Schemas["RoleChange"]["role"];

const LONGEST_PAGE = 100;

export function useMembers(page: number) {
  const query = { page, limit: LONGEST_PAGE };
  return useQuery({
    queryKey: ["team", "members", page],
    queryFn: ({ signal }) => takePage(api.GET("/api/teams/current/members", { params: { query }, signal })),
  });
}

export function useRoles() {
  return useQuery({
    queryKey: ["team", "roles"],
    queryFn: ({ signal }) => take(api.GET("/api/teams/roles", { signal })),
    staleTime: Infinity,
  });
}
