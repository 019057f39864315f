import { useEffect, useState } from "react";
import { useMay } from "../../app/session";
import { FileDrop } from "../../ui/files";
import { Notice, ProblemNotice } from "../../ui/notices";
import { Page } from "../../ui/page";
import { useText } from "../texts";
import type { Analysis } from "./analysis";
import { imageOf, useAiBalance, useAnalyse } from "./queries";
import { Review } from "./Review";
import "../catalog.css";

/** What reading costs and what is left, before anything is spent. */
function Cost() {
  const say = useText();
  const usage = useAiBalance();
  if (!usage.data) return null;
  const { total, monthlyLimit } = usage.data.balance;
  return (
    <p className="soft">{monthlyLimit < 0 ? say("invoiceUnlimited") : say("invoiceCost", { left: total })}</p>
  );
}

/** Reading takes seconds: the time that has passed shows that it goes on. */
function Reading() {
  const say = useText();
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <Notice title={say("reading", { seconds })}>
      <p role="status">{say("readingHint")}</p>
      <progress className="progress" aria-label={say("readingHint")} />
    </Notice>
  );
}

/** From the photo of a supplier's invoice to the stock. */
export function ImportPage() {
  const say = useText();
  const mayWrite = useMay("catalog:write");
  const [analysis, setAnalysis] = useState<Analysis | null>(null);
  const [image, setImage] = useState("");
  const analyse = useAnalyse(setAnalysis);

  async function read(files: File[]): Promise<void> {
    const file = files[0];
    if (!file) return;
    const content = await imageOf(file);
    setImage(content);
    analyse.mutate(content);
  }

  return (
    <Page title={say("invoiceTitle")} lead={say("invoiceLead")}>
      {!mayWrite && <Notice title={say("readOnly")} />}
      {mayWrite && analysis === null && !analyse.isPending && (
        <>
          <Cost />
          <FileDrop
            label={say("invoiceDrop")}
            accept="image/jpeg,image/png,image/webp,image/gif,application/pdf"
            camera
            onFiles={(files) => void read(files)}
          />
        </>
      )}
      {analyse.isPending && <Reading />}
      <ProblemNotice error={analyse.error} onRetry={() => analyse.mutate(image)} />
      {analysis && <Review read={analysis} onAgain={() => setAnalysis(null)} />}
    </Page>
  );
}
