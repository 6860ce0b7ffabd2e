const MOST_ENDPOINTS = 8;

function hasScheme(text: string, schemes: readonly string[]): boolean {
  return URL.canParse(text) && schemes.includes(new URL(text).protocol);
}

/**
 * Parses one to eight http(s) URLs, separated by commas; null for anything else. A repeated URL is
 * refused, because an endpoint cannot corroborate itself.
 */
export function parseRpcUrls(text: string): readonly string[] | null {
  return parseUrls(text, ['http:', 'https:']);
}

/** Parses one to eight different ws(s) URLs, separated by commas; null for anything else. */
export function parseSocketUrls(text: string): readonly string[] | null {
  return parseUrls(text, ['ws:', 'wss:']);
}

function parseUrls(text: string, schemes: readonly string[]): readonly string[] | null {
  const urls = text.split(',').map((part) => part.trim());
  if (urls.length > MOST_ENDPOINTS || !urls.every((url) => hasScheme(url, schemes))) return null;
  const distinct = new Set(urls.map((url) => new URL(url).href));
  return distinct.size === urls.length ? urls : null;
}
