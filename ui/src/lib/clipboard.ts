/**
 * Copies what is only asked for now. WebKit lets a page write to the clipboard as long as the
 * press of a button lasts, so that the text is promised at once and follows.
 */
export async function copyLater(text: Promise<string>): Promise<void> {
  if (typeof ClipboardItem === "undefined") {
    await navigator.clipboard.writeText(await text);
    return;
  }
  const blob = text.then((found) => new Blob([found], { type: "text/plain" }));
  const written = navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
  // Where the text could not be had, the reason for that says more.
  await Promise.all([text, written]);
}
