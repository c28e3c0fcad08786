// Copies what the page shows into a link, and follows one.
import { batch, signal } from "@preact/signals";
import { messageOf } from "../base/message";
import type { Pair, Values } from "../engine/protocol";
import { arriveAt } from "./arrival";
import { chapter } from "./course_state";
import { clearError, create, defaults, error, shipped, start, text, values } from "./engine_state";
import { farthestFor, isLink, linkText, MOST, readLink, type Known, type Link } from "./link";
import { misfit } from "./link_fits";
import { ownStart } from "./make_model/own_start";
import { notice } from "./notice";
import { headsOff, masks, pairs, showPairs, withOnePass } from "./pass_state";
import { questionsOffForNow, questionsOn } from "./questions_state";
import { choices, section } from "./route";
import { runName } from "./run_file";
import { SECTIONS } from "./sections";
import { starts } from "./starts";
import { goTo, position, stop } from "./training_state";
import { beginVisit, placeToReturnTo, returnTo, wayBack } from "./way_back";

/// The update that the page goes to, because a link asks for it.
export const target = signal<number | null>(null);
/// What is wrong with the link that was followed last.
export const linkMessage = signal<string | null>(null);

/// The link to what the page shows, and what it cannot hold.
export function currentLink(): { address: string; without: string[] } {
  const without: string[] = [];
  let link = shownLink();
  const run = runName(link.start);
  if (run !== null) without.push(`your run ${run}, because only a page that came with it can open the link`);
  if (linkText(link).length > MOST.length && link.text) {
    link = { ...link, text: null, update: 0 };
    const base = starts.value.find(({ id }) => id === link.start)!;
    without.push(
      `your own training text, because a link has at most ${MOST.length.toLocaleString("en")} characters ` +
        `(it opens with the untrained model of “${base.title}”)`,
    );
  }
  const farthest = farthestFor(
    link.update,
    shipped.value.map(({ update }) => update),
  );
  if (link.update > farthest) {
    link = { ...link, update: farthest };
    without.push(`updates after ${farthest}`);
  }
  const hash = linkText(link);
  try {
    readLink(hash, known()); // it must open again
  } catch (problem) {
    without.push(`all of this, so it will not open (${messageOf(problem)})`);
  }
  return { address: location.href.replace(/#.*$/, "") + hash, without };
}

function shownLink(): Link {
  const own = start.value.values;
  const usual = allValues(own);
  return {
    start: start.value.base ?? start.value.id,
    text: start.value.base === undefined ? null : text.value,
    settings: Object.fromEntries(Object.entries(values.value).filter(([key, value]) => usual[key] !== value)),
    update: position.value,
    pairs: pairs.value,
    masks: masks.value,
    headsOff: headsOff.value,
    section: section.value.id,
    step: choices.step.value,
    sentence: choices.sentence.value,
    questions: questionsOn.value,
  };
}

/// The values of all settings, where some differ from the defaults.
const allValues = (...changed: Values[]): Values =>
  Object.assign(Object.fromEntries(defaults.value.map(({ key, value }) => [key, value])), ...changed);

const known = (): Known => ({
  starts: starts.value.map(({ id }) => id),
  sections: SECTIONS.map(({ id }) => id),
  snapshots: (start) => starts.value.find(({ id }) => id === start)?.snapshots?.map(({ update }) => update) ?? [],
});

/// How often something has been opened. What is opened later takes the place of what is still being opened.
let openings = 0;

/// Follows a link. If it is refused, because it is damaged, `linkMessage` says so, and the page shows what it showed.
/// Returns whether it was. A link in a chapter leaves a way back to the reader's model.
export async function openLink(address: string): Promise<boolean> {
  linkMessage.value = null;
  let link: Link;
  try {
    link = readLink(address, known());
  } catch (problem) {
    return refuse(messageOf(problem));
  }
  const base = starts.value.find(({ id }) => id === link.start)!;
  const from = link.text ? ownStart(base, link.text) : base;
  const shown = link.pairs.length > 0 ? link.pairs : from.pairs;
  const wrong = misfit(link, allValues(from.values, link.settings), shown);
  if (wrong) return refuse(wrong);
  const number = ++openings;
  const isInChapter = chapter.value !== null;
  stop();
  const refused = await withOnePass(async () => {
    const place = isInChapter ? await placeToReturnTo() : null;
    const made = await create(from, link.settings);
    if (made && place) beginVisit(place);
    if (number !== openings) return false;
    if (!made) return refuse(error.value ?? "its model cannot be made");
    if (isInChapter) choices.focus.value = "section";
    await showLink(link, shown, number);
    return false;
  });
  const isStillThere = () => number === openings && section.value.id === link.section && chapter.value === null;
  if (isInChapter && !refused) void arriveAt(link.section, isStillThere);
  return refused;
}

/// From the model of the course to the reader's own.
export async function goBack(): Promise<void> {
  const place = wayBack.value;
  if (!place) return;
  const number = ++openings;
  target.value = null;
  stop();
  await withOnePass(() => returnTo(place, () => number === openings));
}

/// Shows what the link holds, once the page has its model.
async function showLink(link: Link, shown: Pair[], number: number): Promise<void> {
  batch(() => {
    if (!link.questions) questionsOffForNow();
    showPairs(shown);
    headsOff.value = link.headsOff;
    masks.value = link.masks;
    choices.sentence.value = link.sentence;
    choices.step.value = link.step;
    section.value = SECTIONS.find(({ id }) => id === link.section)!;
    chapter.value = null;
  });
  history.replaceState(null, "", `#${link.section}`);
  target.value = link.update > 0 ? link.update : null;
  if (link.update > 0) await goTo(link.update);
  if (number === openings) target.value = null;
}

function refuse(message: string): true {
  target.value = null;
  clearError(); // one message is enough
  linkMessage.value = `This link is damaged, or for another version of this page. ${message}.`;
  return true;
}

/// The first start that the engine accepts, at an update of the first one.
const createFirst = (update: number): Promise<void> =>
  withOnePass(async () => {
    const number = ++openings;
    for (const from of starts.value) {
      const made = await create(from);
      if (number !== openings) return;
      if (made) return from === starts.value[0] && update > 0 ? goTo(update) : undefined;
      notice.value = `${from.title} cannot be opened. ${error.value}.`;
    }
  });

/// What the page begins with: its address, if that is a link; otherwise, or if the link is refused, the first start at
/// an update.
export async function beginWith(address: string, update: number): Promise<void> {
  if (!isLink(address) || (await openLink(address))) await createFirst(update);
}
