#include <iostream>

#include "verbs/command_line.hpp"
#include "verbs/verbs.hpp"

namespace glassformer {
namespace {

// The language of man pages is roff: a line that begins with a dot is a request, \fB and \fI are bold and italic until
// \fR. What --help says comes from the command line itself; the rest of the page stands here.

constexpr const char* kBeginning = R"(.SH NAME
glassformer \- train, use and look into encoder-decoder transformers
)";

constexpr const char* kDescription = R"(.SH DESCRIPTION
Glassformer is a see-through encoder-decoder transformer: it learns from parallel text, as a YAML file says, to turn one
sequence into another, for instance a sentence into its translation.
It computes on CPUs, with several threads; the result does not depend on their number.
.PP
Results go to standard output, log and progress go to standard error.
A \fIcheckpoint\fR is a checkpoint directory, or a run directory: then its best checkpoint is taken.
A \fIconfig\fR is a YAML file; every key stands, with its choices and its default, in
.I toy.yaml
and others that come with the program (see
.BR FILES ).
)";

constexpr const char* kEnd = R"(.SH EXIT STATUS
.TP
.B 0
All went well.
.TP
.B 1
Something else than the input went wrong: the disk is full, memory does not suffice, the gradient is wrong.
.TP
.B 2
A mistake in what was given.
One message says where, what was expected, what was found, and what to do.
.TP
.BR 130 ", " 143 ", " 129
A training was interrupted (Ctrl-C, SIGTERM, a closed terminal), has finished its update and written a checkpoint, from
which
.B \-\-resume
continues to the very weights of an uninterrupted training.
A second Ctrl-C ends at once.
.SH ENVIRONMENT
.TP
.B OMP_NUM_THREADS
How many threads compute; one for each processor unless given.
Several processes that
.B mpirun
has started on one machine train together, and divide its processors.
.TP
.B NO_COLOR
Respected: nothing is coloured.
.TP
.BR TERM ", " COLUMNS
With TERM=dumb nothing rewrites itself; COLUMNS is how wide the terminal is, where it does not say so itself.
.SH FILES
.TP
.I /usr/share/glassformer/configs/
Configs: a toy, two sentences for the debugger, reversed digits, lessons on masks, models to benchmark.
Copy one and edit it.
(Where the program has been installed from its sources: below
.I /usr/local
or the prefix that was given.)
.TP
.I /usr/share/glassformer/data/
The text that these learn from.
.TP
.I runs/NAME/
A run directory:
.I config.yaml
(complete),
.I train.log, metrics.jsonl, curves.svg,
a directory for each checkpoint, and links
.I best
and
.IR last .
.SH EXAMPLES
Train the toy, English to German, in about a minute; evaluate it; translate; look at every number on the way:
.PP
.RS 4
.EX
glassformer train /usr/share/glassformer/configs/toy.yaml
glassformer evaluate runs/toy
echo "the small dog sleeps ." | glassformer translate runs/toy
glassformer explain runs/toy \-\-html page.html \e
  \-\-source "the small dog sleeps ."
.EE
.RE
.PP
Another learning rate, and a directory of its own for the run:
.PP
.RS 4
.EX
glassformer train /usr/share/glassformer/configs/toy.yaml \e
  \-\-output runs/slow \-\-set training.schedule.learning_rate=0.0005
.EE
.RE
.PP
Completion in this shell, where it is not installed:
.PP
.RS 4
.EX
source <(glassformer completion bash)
.EE
.RE
.SH SEE ALSO
.BR sha256sum (1),
.BR spm_train (1)
)";

/// Text as roff takes it literally. A hyphen would otherwise be printed as a typographic one, which nobody can type.
std::string roff(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '\\') result += "\\e";
    else if (letter == '-') result += "\\-";
    else if (letter == '^') result += "\\(ha";
    else if (letter == '~') result += "\\(ti";
    else result += letter;
  }
  return result;
}

/// A help text as lines of roff, which fills them anew; only a line that is indented stays a line of its own.
std::string paragraph(const std::string& help) {
  std::string result;
  for (const std::string& line : CLI::detail::split(help, '\n')) {
    const bool own_line = line.starts_with(' ');
    const std::size_t text = line.find_first_not_of(' ');
    if (text == std::string::npos) continue;
    const bool looks_like_request = line[text] == '.' || line[text] == '\'';
    result += (own_line ? ".br\n\\ \\ " : looks_like_request ? "\\&" : "") + roff(line.substr(text)) + '\n';
    if (own_line) result += ".br\n";
  }
  return result;
}

/// Three dots that end no sentence.
constexpr const char* kDots = " ...\\&\n";

/// checkpoint, --beam N: names bold, what is to be filled in italic.
std::string form(const Argument& argument) {
  if (argument.positional) return "\\fI" + roff(argument.name) + "\\fR";
  const std::string value = argument.value.empty() ? "" : "\\ \\fI" + roff(argument.value) + "\\fR";
  return "\\fB" + roff(argument.name) + "\\fR" + value;
}

std::string synopsis(const Verb& verb) {
  std::string text = ".TP 4\n.B glassformer " + verb.name + "\n";
  for (const Argument& argument : verb.arguments) {
    text += (argument.required ? form(argument) : "[" + form(argument) + "]") + (argument.repeated ? kDots : "\n");
  }
  return text;
}

std::string entry(const Argument& argument) {
  return ".TP\n" + form(argument) + (argument.repeated ? kDots : "\n") + paragraph(argument.help);
}

/// The manual page, for man.
void write_manual(const CLI::App& program) {
  const std::vector<Verb> verbs = verbs_of(program);
  std::cout << ".\\\" Made by glassformer manual.\n"
               ".TH GLASSFORMER 1 \"\" \"Glassformer " GLASSFORMER_VERSION "\" \"User Commands\"\n.nh\n.ad l\n"
            << kBeginning << ".SH SYNOPSIS\n";
  for (const Verb& verb : verbs) std::cout << synopsis(verb);
  std::cout << kDescription << ".SH VERBS\n";
  for (const Verb& verb : verbs) {
    std::cout << ".SS " << verb.name << '\n' << paragraph(verb.help + ".");
    for (const Argument& argument : verb.arguments) std::cout << entry(argument);
  }
  std::cout << ".SH OPTIONS\n";
  for (const Argument& option : options_of(program)) std::cout << entry(option);
  std::cout << ".PP\nAfter a verb,\n.B \\-\\-help\ndescribes that verb.\n" << kEnd;
}

}  // namespace

void add_manual(CLI::App& program, int& status) {
  CLI::App* const verb = program.add_subcommand("manual", "Print the manual page (glassformer manual | man -l -)");
  verb->callback([&program, &status] {
    write_manual(program);
    status = 0;
  });
}

}  // namespace glassformer
