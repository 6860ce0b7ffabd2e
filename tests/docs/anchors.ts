/** The anchors of the headings of a Markdown text, as GitHub forms them. */
export function anchorsIn(markdown: string): ReadonlySet<string> {
  const headings = markdown.matchAll(/^#+ (?<heading>.+)$/gm);
  return new Set([...headings].map(({ groups }) => anchorOf(groups?.['heading'] ?? '')));
}

function anchorOf(heading: string): string {
  const kept = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '');
  return kept.trim().replaceAll(' ', '-');
}
