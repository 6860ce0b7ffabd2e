const MOST_ENDPOINTS = 8;

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}

/**
 * Parses one to eight http(s) URLs, separated by commas; null for anything else. A repeated URL is
 * refused, because an endpoint cannot corroborate itself.
 */
export function parseRpcUrls(text: string): readonly string[] | null {
  const urls = text.split(',').map((part) => part.trim());
  if (urls.length > MOST_ENDPOINTS || !urls.every(isHttpUrl)) return null;
  const distinct = new Set(urls.map((url) => new URL(url).href));
  return distinct.size === urls.length ? urls : null;
}
