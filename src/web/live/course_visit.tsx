// While the page has the model of the course, because the reader followed a chapter's link: the way back to the reader's.
import { goBack } from "./link_state";
import { start } from "./engine_state";
import { wayBack } from "./way_back";

export function CourseVisit() {
  const place = wayBack.value;
  if (!place) return null;
  const update = place.update.toLocaleString("en");
  return (
    <p class="course-visit">
      <span role="status">
        This is the model of the course’s chapters, “{start.value.title}” ({start.value.id}). The page has kept yours.
      </span>{" "}
      <button type="button" onClick={() => void goBack()}>
        Back to {place.start.title}, update {update}
      </button>
    </p>
  );
}
