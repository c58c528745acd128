/** All words of the page, in English: a file for each theme. */
import { activity } from "./en/activity";
import { bundles } from "./en/bundles";
import { changes } from "./en/changes";
import { compare } from "./en/compare";
import { general } from "./en/general";
import { install } from "./en/install";
import { library } from "./en/library";
import { review } from "./en/review";
import { servers } from "./en/servers";
import { settings } from "./en/settings";
import { sharing } from "./en/sharing";
import { skill } from "./en/skill";
import { trash } from "./en/trash";
import { undo } from "./en/undo";
import { where } from "./en/where";

export const en = {
  ...activity,
  ...bundles,
  changes,
  ...compare,
  ...general,
  ...install,
  ...library,
  ...review,
  ...servers,
  ...settings,
  ...sharing,
  ...skill,
  ...trash,
  ...undo,
  ...where,
};
