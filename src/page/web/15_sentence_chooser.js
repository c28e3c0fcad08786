// The chooser for a sentence. The choice applies to all sections.

/// `all`: offer the whole batch as well.
function sentenceChooser(trace, chosen, choose, all = false) {
  const options = trace.json.sentences.map((_, value) => ({ value, text: String(value) }));
  if (all) options.push({ value: ALL_SENTENCES, text: "all" });
  const chosenText = element("p", { class: "quote chosen-sentence" });
  const quote = (value) => {
    const sentence = trace.json.sentences[value];
    fill(chosenText, sentence ? element("bdi", {}, sentence.source) : "the whole batch");
  };
  quote(chosen);
  const pick = (value) => {
    quote(value);
    choose(value);
  };
  return element("div", { class: "sentence-chooser" }, chooser("Sentence", options, chosen, pick), chosenText);
}

/// The chooser, and below it view(sentence) for the chosen sentence.
function forSentence(trace, chosen, view) {
  const body = element("div");
  const show = (sentence) => {
    chosen.sentence = sentence;
    fill(body, view(sentence));
  };
  show(chosen.sentence);
  return [sentenceChooser(trace, chosen.sentence, show), body];
}
