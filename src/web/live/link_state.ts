// Copies what the page shows into a link, and follows one.
import { batch, signal } from "@preact/signals";
import type { Values } from "../engine/protocol";
import { chapter } from "./course_state";
import { create, created, defaults, error, run, start, startWorkers, text, values } from "./engine_state";
import { isLink, linkText, MOST, readLink, type Link } from "./link";
import { notice } from "./notice";
import { headsOff, masks, pairs, showPairs, trace } from "./pass_state";
import { questionsOn } from "./questions_state";
import { choices, section } from "./route";
import { SECTIONS } from "./sections";
import { starts } from "./starts";
import { goTo, position, stop } from "./training_state";

/// The update that the page goes to, because a link asks for it.
export const target = signal<number | null>(null);
/// What is wrong with the link that was followed last.
export const linkMessage = signal<string | null>(null);

/// The link to what the page shows, and what it cannot hold.
export async function currentLink(): Promise<{ address: string; without: string[] }> {
  const without: string[] = [];
  const own = start.value.values;
  const usual: Values = Object.fromEntries(defaults.value.map(({ key, value }) => [key, own[key] ?? value]));
  const settings = Object.fromEntries(Object.entries(values.value).filter(([key, value]) => usual[key] !== value));
  const original = await start.value.text();
  const isOwnText = original.source !== text.value.source || original.target !== text.value.target;
  if (isOwnText) without.push("your own training text (it opens with an untrained model)");
  const isFar = position.value > MOST.update;
  if (isFar) without.push(`updates after ${MOST.update}`);
  const link: Link = {
    start: start.value.id,
    settings,
    update: isOwnText ? 0 : Math.min(position.value, MOST.update),
    pairs: pairs.value,
    masks: masks.value,
    headsOff: headsOff.value,
    section: section.value.id,
    step: choices.step.value,
    sentence: choices.sentence.value,
    questions: questionsOn.value,
  };
  const hash = linkText(link);
  try {
    readLink(hash, known()); // it must open again
  } catch (problem) {
    without.push(`all of this, so it will not open (${messageOf(problem)})`);
  }
  return { address: location.href.replace(/#.*$/, "") + hash, without };
}

const known = () => ({ starts: starts.value.map(({ id }) => id), sections: SECTIONS.map(({ id }) => id) });
const messageOf = (problem: unknown) => (problem instanceof Error ? problem.message : String(problem));

/// Follows a link. If it is damaged, `linkMessage` says so, and the page is as it was, or as it is at first.
export async function openLink(address: string): Promise<boolean> {
  linkMessage.value = null;
  let link: Link;
  try {
    link = readLink(address, known());
  } catch (problem) {
    return refuse(messageOf(problem));
  }
  stop();
  const from = starts.value.find(({ id }) => id === link.start)!;
  if (!(await create(from, link.settings))) return refuse(error.value ?? "its model cannot be made");
  batch(() => {
    if (!link.questions) questionsOn.value = false;
    headsOff.value = [];
    showPairs(link.pairs.length > 0 ? link.pairs : from.pairs);
    choices.sentence.value = link.sentence;
    choices.step.value = link.step;
    section.value = SECTIONS.find(({ id }) => id === link.section)!;
    chapter.value = null;
  });
  history.replaceState(null, "", `#${link.section}`);
  if (link.update > 0) {
    target.value = link.update;
    await goTo(link.update);
    target.value = null;
  }
  return showMasks(link);
}

/// The masks and heads of a link, once the page has computed a pass over its pairs, which shows whether they fit.
async function showMasks(link: Link): Promise<boolean> {
  if (!link.masks && link.headsOff.length === 0) return true;
  await run("following the link", async () => {}); // after the pass over its pairs
  const shown = trace.value;
  if (!shown) return refuse("its sentences cannot be shown");
  const parts = new Map(shown.json.attention.map(({ part }) => [part, shown.json.model.heads]));
  for (const head of link.headsOff) {
    const [part = "", number = ""] = head.split(" ");
    const heads = parts.get(part) ?? parts.get(`model.${part}`) ?? 0;
    if (Number(number) >= heads) return refuse("off: this model does not have these heads");
  }
  const { queries, keys } = link.masks?.cross_padding ?? { queries: shown.target.length, keys: shown.source.length };
  if (queries !== shown.target.length || keys !== shown.source.length) {
    return refuse("masks: they are for sentences of other lengths");
  }
  batch(() => {
    headsOff.value = link.headsOff;
    masks.value = link.masks;
  });
  return true;
}

function refuse(message: string): false {
  target.value = null;
  error.value = null; // one message is enough
  linkMessage.value = `This link is damaged, or for another version of this page. ${message}.`;
  return false;
}

/// The first start that the engine accepts, at an update of the first one.
async function createFirst(update: number): Promise<void> {
  for (const from of starts.value) {
    if (await create(from)) return from === starts.value[0] && update > 0 ? goTo(update) : undefined;
    notice.value = `${from.title} cannot be opened. ${error.value}.`;
  }
}

/// What the page begins with: its address, if that is a link; otherwise, or if the link is damaged, the first start at
/// an update.
export async function beginWith(address: string, update: number): Promise<void> {
  if (!isLink(address)) return createFirst(update);
  await openLink(address);
  if (created.value) return;
  await createFirst(update);
  if (created.value) return;
  await startWorkers(1); // the link's model was too much for the engine
  await createFirst(update);
}
