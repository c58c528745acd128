/**
 * The one seam between the page and the program: a method for each backend command. `tauri.ts`
 * calls the real program, `fake.ts` plays it in memory for development, tests and pictures.
 *
 * Every method may reject with an `ErrorView`.
 */
import type { ActivityView } from "../bindings/ActivityView";
import type { Approvals } from "../bindings/Approvals";
import type { BatchView } from "../bindings/BatchView";
import type { ChangeRef } from "../bindings/ChangeRef";
import type { Changed } from "../bindings/Changed";
import type { CommandPreview } from "../bindings/CommandPreview";
import type { CompareView } from "../bindings/CompareView";
import type { DiffLine } from "../bindings/DiffLine";
import type { FileContent } from "../bindings/FileContent";
import type { FoundServers } from "../bindings/FoundServers";
import type { GivenValues } from "../bindings/GivenValues";
import type { ImportFrom } from "../bindings/ImportFrom";
import type { ImportView } from "../bindings/ImportView";
import type { LibraryView } from "../bindings/LibraryView";
import type { NamedValue } from "../bindings/NamedValue";
import type { OfferDetail } from "../bindings/OfferDetail";
import type { OfferFolder } from "../bindings/OfferFolder";
import type { OfferRow } from "../bindings/OfferRow";
import type { OutcomeItem } from "../bindings/OutcomeItem";
import type { OutcomeView } from "../bindings/OutcomeView";
import type { PlanView } from "../bindings/PlanView";
import type { Progress } from "../bindings/Progress";
import type { ReviewView } from "../bindings/ReviewView";
import type { ServerChange } from "../bindings/ServerChange";
import type { ServerSettings } from "../bindings/ServerSettings";
import type { ServerStep } from "../bindings/ServerStep";
import type { ServersView } from "../bindings/ServersView";
import type { SettingsView } from "../bindings/SettingsView";
import type { SharingChange } from "../bindings/SharingChange";
import type { SharingView } from "../bindings/SharingView";
import type { SideRef } from "../bindings/SideRef";
import type { SignInPreview } from "../bindings/SignInPreview";
import type { SkillDetail } from "../bindings/SkillDetail";
import type { SourceRef } from "../bindings/SourceRef";
import type { TargetRef } from "../bindings/TargetRef";
import type { Theme } from "../bindings/Theme";
import type { TrashView } from "../bindings/TrashView";

/** Told how far a running job is, at most 30 times a second. */
export type OnProgress = (progress: Progress) => void;

export interface Host {
  /** The whole library; a first call starts the scan. */
  library(): Promise<LibraryView>;
  /** One copy of a skill. */
  skillDetail(copy: string): Promise<SkillDetail>;
  /** One file of a local skill. */
  skillFile(copy: string, path: string): Promise<FileContent>;
  /** Two versions of a skill, file by file. */
  compare(left: SideRef, right: SideRef): Promise<CompareView>;
  /** The lines in which one file of two versions differs; nothing where either is not text. Rejects with `gone` where the bytes of one are not kept any more. */
  compareSidesFile(left: SideRef, right: SideRef, path: string): Promise<DiffLine[] | null>;
  /** Carries out one fix of a local skill through a plan; it can be undone like any change. */
  applyFix(copy: string, fix: string): Promise<OutcomeView>;
  /** Carries out the first fix of every diagnostic that has one, as one change. */
  applyAllFixes(copy: string): Promise<OutcomeView>;
  /** Shows a local skill in the system's file manager. */
  revealSkill(copy: string): Promise<void>;
  /** Shows the address in a dialog of the system and opens it when the person says so; `https:` only. */
  openLink(url: string): Promise<void>;

  servers(): Promise<ServersView>;
  /** Adds a server by address and starts to connect; rejects when the address cannot be one. */
  addHttpServer(label: string, url: string, given: GivenValues): Promise<string>;
  /** Splits a command line into words; runs nothing. */
  previewCommand(line: string, variables: NamedValue[]): Promise<CommandPreview>;
  /** Adds the command that was previewed under this token, or gives it to its server, and starts it. */
  confirmCommand(label: string, token: string): Promise<string>;
  /** Looks through the settings of other tools; starts and reaches nothing. */
  findServers(): Promise<FoundServers>;
  /** Reads settings that were pasted; starts and reaches nothing. */
  pasteServers(text: string): Promise<FoundServers>;
  /** Adds a server that was found, or says what it would start. */
  addFound(found: string, label: string, filled: NamedValue[]): Promise<ServerStep>;
  /** How a server is reached and what it is given; no value is in it. */
  serverSettings(server: string): Promise<ServerSettings>;
  /** Changes how a server is reached and what it is given, or says what it would start. */
  changeServer(server: string, change: ServerChange): Promise<ServerStep>;
  renameServer(server: string, label: string): Promise<void>;
  /** Removes a server, what was fetched from it, and its approvals; installed skills stay. */
  removeServer(server: string): Promise<void>;
  setServerEnabled(server: string, enabled: boolean): Promise<void>;
  /** Connects again, or asks a connected server for its list again. */
  refreshServer(server: string): Promise<void>;

  /** The last lines that a server's program wrote to its standard error. */
  serverWords(server: string): Promise<string[]>;
  /** Where a person would sign in to a server; opens nothing. */
  previewSignIn(server: string): Promise<SignInPreview>;
  /** Opens the browser where it was shown, tells the address of the page, and waits until they signed in; `job` is what `cancel` takes. */
  signIn(token: string, job: string, onPage: (address: string) => void): Promise<void>;
  /** Forgets what the person was given when they signed in. */
  signOut(server: string): Promise<void>;

  /** One offered skill from what was declared; fetches nothing. */
  offerDetail(server: string, uri: string): Promise<OfferDetail>;
  /** Fetches exactly this file of an offered skill, checked. */
  offerFile(server: string, uri: string, path: string): Promise<FileContent>;
  /** Asks a server for a skill by its URI, whether a list shows it or not; it stays among its offers. */
  lookUpOffer(server: string, uri: string): Promise<OfferRow>;
  /** What the server shows in the folder of an offered skill, against its entry. */
  offerFolder(server: string, uri: string): Promise<OfferFolder>;
  /** Asks for a folder with the system's dialog and exports an unverified copy into it; `understood` says that the warning was seen. Null when the person chose none. */
  exportOffer(server: string, uri: string, understood: boolean): Promise<OutcomeView | null>;

  /** Asks for a file with the system's dialog and exports these copies into it, with what is known of them; all or nothing. Null when the person chose none. */
  exportBundle(copies: string[]): Promise<OutcomeView | null>;
  /** Asks for a file or a folder with the system's dialog and imports what skills it holds; each is to be reviewed like a server's. Null when the person chose none. */
  importSkills(from: ImportFrom): Promise<ImportView | null>;

  /** Fetches all files of an offered skill and checks them; `job` is what `cancel` takes. */
  startReview(job: string, server: string, uri: string, onProgress: OnProgress): Promise<ReviewView>;
  /** One file of a running review, as fetched. */
  reviewFile(review: string, path: string): Promise<FileContent>;
  /** Approves exactly the content with this fingerprint; `ticked` are the codes of grave findings. */
  approve(
    review: string,
    fingerprint: string,
    grant: boolean,
    ticked: string[],
    note: string | null,
  ): Promise<void>;
  reject(review: string, fingerprint: string): Promise<void>;
  /** Approves an offered skill whose exact content is approved from another server, where the settings let it; `OfferRow.sameAs` says which. */
  acceptSame(server: string, uri: string): Promise<void>;
  /** Forgets a review that was closed without a decision. */
  closeReview(review: string): Promise<void>;

  /** Works out what installing or copying would do; changes nothing. */
  plan(source: SourceRef, targets: TargetRef[]): Promise<PlanView>;
  /** Carries out a plan; each target by itself. */
  applyPlan(job: string, plan: string, onProgress: OnProgress): Promise<OutcomeView>;
  /** Works out what changes of one or many skills would do; changes nothing. */
  planChanges(changes: ChangeRef[]): Promise<BatchView>;
  /** Carries out what was worked out, each folder by itself, as one change with one undo. */
  applyChanges(job: string, batch: string, onProgress: OnProgress): Promise<OutcomeView>;
  /** What a change did, folder by folder; what was taken back since says so. */
  changeItems(change: string): Promise<OutcomeItem[]>;
  /** What was replaced or removed and is still kept. */
  trash(): Promise<TrashView>;
  /** Removes these for good; what is removed can no longer be put back. */
  emptyTrash(ids: string[]): Promise<void>;
  /** Puts back what a change replaced or wrote. */
  undo(change: string): Promise<OutcomeView>;
  activity(): Promise<ActivityView>;

  /** Stops a running job; it then rejects with the code `cancelled`. */
  cancel(job: string): Promise<void>;

  settings(): Promise<SettingsView>;
  setTheme(theme: Theme): Promise<void>;
  setSamples(on: boolean): Promise<void>;
  /** When an offered skill has to be reviewed. */
  setApprovals(approvals: Approvals): Promise<void>;
  /** Lets nothing of a server be installed, or lets it again. */
  setNeverInstall(server: string, on: boolean): Promise<void>;
  /** The first screen was finished. */
  setWelcomed(): Promise<void>;

  /** Asks for a folder with the system's dialog and adds it: a skill, a folder of skills, or a project. False when the person chose none. */
  addFolder(): Promise<boolean>;
  /** Stops looking into an added folder; nothing on the disk changes. */
  removeFolder(path: string): Promise<void>;
  /** Scans a tool's folders, or does not; null lets detection decide. */
  setToolOn(tool: string, on: boolean | null): Promise<void>;
  /** Asks for a folder with the system's dialog and makes it the only one of the tool. False when the person chose none. */
  chooseToolRoot(tool: string): Promise<boolean>;
  /** Goes back to the tool's own folders. */
  resetToolRoots(tool: string): Promise<void>;

  /** What is shared with other programs, and who uses it. */
  sharing(): Promise<SharingView>;
  setSharing(change: SharingChange): Promise<void>;
  /** Asks for a folder with the system's dialog and shares it too. False when the person chose none. */
  addSharedFolder(): Promise<boolean>;
  removeSharedFolder(path: string): Promise<void>;
  /** The token, to show it to the person. */
  sharingToken(): Promise<string>;
  /** Makes a new token; programs with the old one are refused from then on. */
  renewSharingToken(): Promise<void>;

  /** Calls back whenever a part of the state is out of date; the result stops it. */
  onChanged(listener: (changed: Changed) => void): Promise<() => void>;
}
