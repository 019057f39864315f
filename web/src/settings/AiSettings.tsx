import { useQuery } from "@tanstack/react-query";
import { keyed, useAction } from "../api/actions";
import { api, take } from "../api/client";
import { useMay, useSession, useTeam } from "../app/session";
import { moment } from "../texts/formats";
import { Button } from "../ui/Button";
import { Loaded } from "../ui/Loaded";
import { Notice, ProblemNotice } from "../ui/notices";
import { Card, Facts } from "../ui/page";
import { useRemedy } from "../ui/remedies";
import { useText } from "./texts";

function useUsage() {
  return useQuery({
    queryKey: ["ai", "usage"],
    queryFn: ({ signal }) => take(api.GET("/api/ai/usage", { params: { query: { limit: 1 } }, signal })),
  });
}

function TestModel() {
  const inWords = useRemedy();
  const say = useText();
  const test = useAction({
    run: (_: undefined, key) => take(api.POST("/api/ai/test", { headers: keyed(key) })),
  });
  const tried = test.data;
  return (
    <div className="stack">
      <div className="row">
        <Button icon="refresh" busy={test.isPending} onClick={() => test.mutate(undefined)}>
          {say("testModel")}
        </Button>
      </div>
      <div role="status">
        {tried && (
          <Notice
            tone={tried.ok ? "good" : "bad"}
            title={
              tried.problem?.message ??
              say(tried.readsImages ? "modelReads" : "modelBlind", {
                model: tried.model ?? "",
                milliseconds: tried.milliseconds,
              })
            }
          >
            {tried.problem?.remedy && <p>{inWords(tried.problem.remedy)}</p>}
          </Notice>
        )}
      </div>
      <ProblemNotice error={test.error} />
    </div>
  );
}

/** The model that reads receipts, and how many actions are left. */
export function AiSettings() {
  const say = useText();
  const { session } = useSession();
  const { timezone } = useTeam();
  const usage = useUsage();
  const mayTest = useMay("team:write") && session.aiConfigured;
  return (
    <>
      <Card title={say("aiSection")}>
        <div className="stack">
          <Notice
            tone={session.aiConfigured ? "good" : "info"}
            title={say(session.aiConfigured ? "aiConfigured" : "aiOffline")}
          />
          <p>{say("aiLead")}</p>
          <p className="mono">LEDGERKIT_AI_BASE_URL, LEDGERKIT_AI_API_KEY, LEDGERKIT_AI_MODEL</p>
          {mayTest && <TestModel />}
        </div>
      </Card>
      <Card title={say("aiBalance")}>
        <Loaded query={usage} lines={3}>
          {({ balance }) => (
            <Facts
              facts={[
                [say("aiLeft"), balance.total < 0 ? say("unlimited") : String(balance.total)],
                [say("aiUsed"), String(balance.monthlyUsed)],
                [say("aiBought"), String(balance.purchased)],
                [say("aiResets"), moment(balance.resetsAt, timezone)],
              ]}
            />
          )}
        </Loaded>
      </Card>
    </>
  );
}
