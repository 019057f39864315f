import { useState } from "react";
import { Link } from "react-router";
import { day, money } from "../../texts/formats";
import { Button, ButtonLink } from "../../ui/Button";
import { Select } from "../../ui/fields";
import { Notice, ProblemNotice } from "../../ui/notices";
import { Card, Facts } from "../../ui/page";
import type { Schemas } from "../../api/client";
import { useText } from "../texts";
import { Warnings } from "../Warnings";
import { withAction, type Analysis } from "./analysis";
import { MatchTable } from "./MatchTable";
import { useConfirm, useMatchedItems } from "./queries";

function Head({ analysis }: { analysis: Analysis }) {
  const say = useText();
  const { vendor, invoiceNumber, invoiceDate, total, currency } = analysis;
  return (
    <Card>
      <Facts
        facts={[
          [say("vendor"), vendor?.name && <bdi>{vendor.name}</bdi>],
          [say("taxId"), vendor?.taxId],
          [say("number"), invoiceNumber && <bdi>{invoiceNumber}</bdi>],
          [say("date"), day(invoiceDate)],
          [say("total"), total === null || total === undefined ? null : money(total, currency ?? "EUR")],
        ]}
      />
    </Card>
  );
}

interface QuestionsProps {
  analysis: Analysis;
  answers: readonly string[];
  onAnswer: (place: number, answer: string) => void;
}

/** What the server could not decide; a question whose line a person has decided on is settled. */
function Questions({ analysis, answers, onAnswer }: QuestionsProps) {
  const say = useText();
  const questions = (analysis.questions ?? [])
    .map((text, place) => ({ text, place }))
    .filter(({ place }) => analysis.items.some((item) => item.question === place));
  if (questions.length === 0) return null;
  const choices = [
    { value: "yes", label: say("questionYes") },
    { value: "no", label: say("questionNo") },
  ];
  return (
    <Card title={say("questions")}>
      <div className="stack">
        {questions.map(({ text, place }) => (
          <Select
            key={place}
            label={text}
            value={answers[place] || "yes"}
            options={choices}
            onChange={(answer) => onAnswer(place, answer)}
          />
        ))}
      </div>
    </Card>
  );
}

function Result({ result, onAgain }: { result: Schemas["ConfirmResult"]; onAgain: () => void }) {
  const say = useText();
  return (
    <div className="stack" role="status">
      <Notice tone="good" title={say("result")}>
        <p>{say("resultCreated", { count: result.created })}</p>
        <p>{say("resultUpdated", { count: result.updated })}</p>
        {result.supplierInvoiceId && (
          <p>
            {say("resultRecorded")}{" "}
            <Link to={`/payables/${result.supplierInvoiceId}`}>{say("openPayable")}</Link>
          </p>
        )}
      </Notice>
      <Warnings warnings={result.warnings} />
      <div className="row">
        <Button onClick={onAgain}>{say("readAgain")}</Button>
        <ButtonLink kind="primary" to="/catalog">
          {say("back")}
        </ButtonLink>
      </div>
    </div>
  );
}

/** What was read from an invoice, for somebody to decide on line by line, and then to confirm. */
export function Review({ read, onAgain }: { read: Analysis; onAgain: () => void }) {
  const say = useText();
  const [analysis, setAnalysis] = useState(read);
  const [answers, setAnswers] = useState<string[]>(() => (read.questions ?? []).map(() => ""));
  const matched = useMatchedItems(read);
  const confirm = useConfirm();
  if (confirm.data) return <Result result={confirm.data} onAgain={onAgain} />;
  return (
    <div className="stack">
      <Head analysis={analysis} />
      <Warnings warnings={analysis.warnings} />
      <Questions
        analysis={analysis}
        answers={answers}
        onAnswer={(place, answer) =>
          setAnswers(answers.map((before, index) => (index === place ? answer : before)))
        }
      />
      <Card title={say("lines")}>
        <MatchTable
          analysis={analysis}
          answers={answers}
          matched={matched}
          onAction={(place, action) => setAnalysis(withAction(analysis, place, action))}
        />
      </Card>
      <ProblemNotice error={confirm.error} />
      <div className="row">
        <Button onClick={onAgain}>{say("readAgain")}</Button>
        <Button
          kind="primary"
          icon="check"
          busy={confirm.isPending}
          onClick={() => confirm.mutate({ analysis, answers })}
        >
          {say("confirm")}
        </Button>
      </div>
    </div>
  );
}
