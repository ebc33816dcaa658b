/** Hands a file to the user. */
export function download(content: Blob | string, name: string): void {
  const blob = typeof content === "string" ? new Blob([content], { type: "text/csv" }) : content;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** A name that every file system takes. */
export function fileName(...parts: string[]): string {
  return parts
    .join("_")
    .replace(/[^\p{L}\p{N}._-]+/gu, "_")
    .replace(/_+/g, "_");
}
