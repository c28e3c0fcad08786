// Break the model, and watch what happens.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Chooser } from "../base/chooser";
import { formatNumber } from "../base/numbers";
import { ScrollBox, TitledTable } from "../base/tables";
import { Curves } from "../figures/curve";
import type { Scores } from "./break_scores";
import {
  broken,
  brokenEnd,
  brokenScores,
  brokenUpdates,
  brokenWork,
  leaveBroken,
  showBroken,
  stopBroken,
  trainBroken,
} from "./break_state";
import { BREAKAGES, type Breakage } from "./breakages";
import intact from "./intact_toy.json";
import "./break_section.css";

const COUNT = 400; // updates, after which the intact toy translates many sentences

export function BreakSection() {
  const chosen = useSignal((broken.value ?? BREAKAGES[0]!).id);
  const breakage = BREAKAGES.find(({ id }) => id === chosen.value)!;
  useEffect(() => {
    showBroken();
    return leaveBroken;
  }, []);
  return (
    <>
      <p class="lead">
        What is each part for? Take it away and see. The page trains a broken toy from the beginning, and shows its
        curve beside that of the intact toy, which was recorded. Both begin with the same weights and see the same
        sentences in the same order. Your own model stays as it is.
      </p>
      <div class="break-choice">
        <Chooser
          legend="Break"
          options={BREAKAGES.map(({ id, title }) => ({ value: id, text: title }))}
          chosen={chosen.value}
          choose={(id) => (chosen.value = id)}
        />
      </div>
      <h3>{breakage.title}</h3>
      <p>{breakage.says}</p>
      <p class="note">
        {Object.entries(breakage.changed).map(([key, value]) => (
          <code key={key} class="changed-setting">
            {key}: {value}
          </code>
        ))}
      </p>
      <Buttons breakage={breakage} />
      {broken.value === breakage && <Results breakage={breakage} />}
    </>
  );
}

function Buttons({ breakage }: { breakage: Breakage }) {
  const works = brokenWork.value !== null;
  const more = broken.value === breakage && brokenUpdates.value.length > 0;
  const title = more ? `Train it for ${COUNT} more updates` : `Train it for ${COUNT} updates`;
  return (
    <>
      <button type="button" class="main" onClick={() => (works ? stopBroken() : void trainBroken(breakage, COUNT))}>
        {works ? "Stop" : title}
      </button>
      <p role="status" class="note break-work">
        {works && broken.value && `${broken.value.title}: ${workText()}`}
      </p>
    </>
  );
}

/// "the engine is training, update 29 of 400 …"
function workText(): string {
  const progress = brokenUpdates.value.length > 0 ? `, update ${brokenUpdates.value.length} of ${brokenEnd.value}` : "";
  return `the engine is ${brokenWork.value}${progress} …`;
}

function Results({ breakage }: { breakage: Breakage }) {
  const x = useComputed(() => brokenUpdates.value.map(({ number }) => number));
  const series = useComputed(() => [
    {
      name: "loss",
      values: brokenUpdates.value.map(({ loss }) => loss),
      dashed: intact.losses.slice(0, brokenUpdates.value.length),
    },
  ]);
  return (
    <>
      <Curves name="Loss" axis="update" x={x.value} series={series.value} names={["broken", "intact"]} />
      {brokenScores.value.length > 0 && <ScoreTable scores={brokenScores.value} />}
      {(brokenScores.value.at(-1)?.update ?? 0) >= COUNT && (
        <p class="tells">
          <b>What gives it away:</b> {breakage.tells}
        </p>
      )}
    </>
  );
}

type Row = [title: string, value: (scores: Scores) => string, means?: string];

const ROWS: Row[] = [
  ["loss, teacher forcing", ({ loss }) => formatNumber(loss, 4)],
  ["correct words, teacher forcing", ({ correct, tokens }) => `${correct} of ${tokens}`],
  ["exact match, free running", ({ exact, sentences }) => `${exact} of ${sentences}`],
  [
    "same translation with the words in reverse order",
    ({ orderBlind, sentences }) => `${orderBlind} of ${sentences}`,
    "if many: the order of the source hardly matters to it",
  ],
  [
    "different translations",
    ({ different, sentences }) => `${different} of ${sentences}`,
    "if few: it says nearly the same, whatever it reads",
  ],
  [
    "translated differently beside a long sentence",
    ({ changed, sentences }) => `${changed} of ${sentences}`,
    "if any: padding changes its translations",
  ],
];

/// The last scores, beside those of the intact model after as many updates, or nearly.
function ScoreTable({ scores }: { scores: Scores[] }) {
  const last = scores.at(-1)!;
  const before = intact.scores.findLast(({ update }) => update <= last.update);
  const titles = [
    "on the test text",
    `broken, after ${last.update} updates`,
    before ? `intact, after ${before.update}` : "intact",
  ];
  return (
    <ScrollBox name="Scores on the test text, which it is not trained on">
      <TitledTable titles={titles}>
        {ROWS.map(([title, value, means]) => (
          <tr key={title}>
            <th scope="row">
              {title} {means && <span class="note row-means">{means}</span>}
            </th>
            <td class="number">{value(last)}</td>
            <td class="number">{before ? value(before) : "–"}</td>
          </tr>
        ))}
      </TitledTable>
    </ScrollBox>
  );
}
