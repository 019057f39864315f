import { useLocation, useNavigate, useParams } from "react-router";
import { ProblemError } from "../api/problem";
import { useSession } from "../app/session";
import { Button, ButtonLink } from "../ui/Button";
import { Loaded } from "../ui/Loaded";
import { EmptyState, Loading, Notice } from "../ui/notices";
import { Page } from "../ui/page";
import { ProposalCard } from "./ProposalCard";
import { useOtherBooks, useProposal } from "./queries";
import { useText } from "./texts";

/** A link names no team: the proposal may be in the user's other books. */
function Missing({ id }: { id: string }) {
  const say = useText();
  const { chooseTeam } = useSession();
  const navigate = useNavigate();
  const other = useOtherBooks(id, true);
  if (other.isFetching) return <Loading lines={4} />;
  if (other.isError) return <Loaded query={other}>{() => null}</Loaded>;
  if (!other.data) {
    return (
      <EmptyState icon="search" title={say("notFound")}>
        {say("notFoundText")}
      </EmptyState>
    );
  }
  const books = other.data;
  const open = (
    <Button
      kind="primary"
      onClick={() =>
        void chooseTeam(books.id).then(() =>
          navigate(`/approve/${encodeURIComponent(id)}`, { replace: true }),
        )
      }
    >
      {say("openBooks")}
    </Button>
  );
  return <Notice title={say("elsewhere", { name: books.name })} action={open} />;
}

/** One proposal by itself: what a link in a chat or of an assistant opens, on a telephone too. */
export function ApprovePage() {
  const say = useText();
  const { id = "" } = useParams();
  const { state } = useLocation() as { state: { before?: readonly string[] } | null };
  const navigate = useNavigate();
  const proposal = useProposal(id);
  const isMissing = proposal.error instanceof ProblemError && proposal.error.status === 404;
  const title = proposal.data?.status === "pending" ? say("title") : say("proposal");
  return (
    <Page title={title} actions={<ButtonLink to="/approvals">{say("seeAll")}</ButtonLink>}>
      <div className="approve-page">
        {isMissing ? (
          <Missing id={id} />
        ) : (
          <Loaded query={proposal} lines={8}>
            {(data) => (
              <ProposalCard
                key={data.id}
                proposal={data}
                before={state?.before}
                onDecided={() => undefined}
                onReplaced={(proposed, seen) =>
                  void navigate(`/approve/${proposed.id}`, { replace: true, state: { before: seen } })
                }
              />
            )}
          </Loaded>
        )}
      </div>
    </Page>
  );
}
