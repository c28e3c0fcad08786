#include <cmath>
#include <vector>

#include "catch.hpp"
#include "glassformer/glassformer.hpp"
#include "session/small_session.hpp"

using namespace glassformer;
using session_test::small_session;

TEST_CASE("A trace shows the loss and the gradient of the next update, with its label smoothing", "[session]") {
  for (const double label_smoothing : {0.0, 0.2}) {
    CAPTURE(label_smoothing);
    SessionSettings settings = small_session();
    settings.model.dropout = settings.model.embedding_dropout = 0;
    settings.training.label_smoothing = label_smoothing;
    const std::vector<SentencePair> pairs = {{{4, 5, 6}, {7, 6}}, {{7, 8}, {4, 5, 9}}, {{9, 10, 11, 4}, {8}}};
    Session session(settings, pairs);
    const Trace trace = session.trace(pairs, session.masks(pairs)).numbers;
    const Session::Update update = session.step();
    REQUIRE(update.pairs.size() == pairs.size());
    CHECK(trace.loss.loss == Approx(update.loss.loss).epsilon(1e-5));
    CHECK(trace.loss.cross_entropy == Approx(update.loss.cross_entropy).epsilon(1e-5));
    CHECK(trace.loss.tokens == update.loss.tokens);
    double squares = 0;
    for (const double norm : trace.gradient_norms) {
      squares += norm * norm;
    }
    CHECK(std::sqrt(squares) == Approx(update.gradient_norm).epsilon(1e-4));
  }
}
