import { frame, guidePage, pageOf } from './frame.ts';
import { guide } from './guide.generated.ts';
import type { Reference } from './operations.ts';

/** Renders a page of the guide. Names of operations become links to their pages. */
export function renderGuide(page: (typeof guide)[number], reference: Reference): string {
  const { name, title, content } = page;
  const byName = new Map(reference.operations.map((one) => [`${one.method} ${one.path}`, one]));
  const linked = content.replaceAll(/<code>([A-Z]+ \/[^<\s]*)<\/code>/g, (whole, text: string) => {
    const operation = byName.get(text);
    return operation === undefined ? whole : `<a href="${pageOf(operation)}">${whole}</a>`;
  });
  const next = guide[guide.indexOf(page) + 1];
  const on =
    next === undefined ? '' : `<p class="next">Next: <a href="${guidePage(next.name)}">${next.title}</a></p>`;
  return frame(reference, guidePage(name), title, `<article>${linked}</article>${on}`);
}
