/** The colors of the console's light scheme: mail programs support neither variables nor color schemes reliably. */
const look = {
  body: 'margin:0;padding:24px 12px;background:#f7f6f1;color:#16201c;font:15px/1.55 Geist,-apple-system,"Segoe UI",Roboto,Arial,sans-serif',
  card: 'max-width:560px;margin:0 auto;background:#ffffff;border:1px solid #e3e0d5;border-radius:12px;overflow:hidden',
  head: 'padding:16px 24px;background:#0b3328;color:#f7f4ea;font-size:17px;font-weight:600',
  main: 'padding:8px 24px 16px;overflow-wrap:anywhere',
  link: 'display:inline-block;padding:10px 18px;background:#0b6b4d;color:#ffffff;border-radius:8px;font-weight:600;text-decoration:none',
  address: 'color:#5f6963;font-size:12px;word-break:break-all',
  quote: 'margin:0;padding:8px 16px;border-left:4px solid #b57514;background:#f0eee6;white-space:pre-wrap',
} as const;

/**
 * Converts a mail to HTML without adding content. A line that is a URL becomes a button with the URL below
 * it. Lines marked with `>` contain the inviter's text: they are quoted, and their URLs are not links.
 */
export function mailHtml({ subject, text }: { subject: string; text: string }): string {
  const blocks = text
    .trim()
    .split(/\n{2,}/)
    .map(blockHtml);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(subject)}</title></head><body style='${look.body}'><div style="${look.card}"><div style="${look.head}">Ledger Operations</div><div style="${look.main}">${blocks.join('')}</div></div></body></html>`;
}

function blockHtml(block: string): string {
  const lines = block.split('\n');
  if (lines.every((line) => line.startsWith('>'))) {
    const quoted = lines.map((line) => escaped(line.replace(/^> ?/, '')));
    return `<blockquote style="${look.quote}">${quoted.join('\n')}</blockquote>`;
  }
  const parts = Map.groupBy(lines, (line) => /^https?:\/\/\S+$/.test(line));
  const words = (parts.get(false) ?? []).map(escaped).join('<br>');
  const links = (parts.get(true) ?? []).map((url) => linkHtml(escaped(url)));
  return `${words === '' ? '' : `<p>${words}</p>`}${links.join('')}`;
}

function linkHtml(url: string): string {
  return `<p><a href="${url}" style="${look.link}">Open the link</a></p><p style="${look.address}">${url}</p>`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
