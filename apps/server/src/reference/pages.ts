import type { ApiDocument } from '../openapi/openapi.ts';
import { fontFace } from '../present/font-face.ts';
import { folder, guidePage } from './frame.ts';
import { guide } from './guide.generated.ts';
import { renderGuide } from './guide-page.ts';
import { mark } from './mark.ts';
import { operationPage } from './operation-page.ts';
import { readReference } from './operations.ts';
import { overviewPage } from './overview-page.ts';
import { script } from './script.generated.ts';
import { style } from './style.ts';

/** A file of the reference: its media type, and how to render it. */
export interface ReferenceFile {
  readonly type: string;
  make(): string;
}

/**
 * Files of the reference by path, each rendered on request.
 * @param isServed whether a server serves them; pages of the documentation's site have no forms to try operations
 * @param font path of the console's font; if undefined, browsers use the font of their system
 */
export function referenceFiles(
  document: ApiDocument,
  { isServed, font }: { isServed: boolean; font?: string | undefined },
): ReadonlyMap<string, ReferenceFile> {
  const reference = readReference(document, isServed);
  const page = (make: () => string): ReferenceFile => ({ type: 'text/html; charset=utf-8', make });
  return new Map<string, ReferenceFile>([
    [folder, page(() => overviewPage(reference))],
    ...guide.map((one) => [guidePage(one.name), page(() => renderGuide(one, reference))] as const),
    ...reference.operations.map(
      (one) => [`${folder}/${one.id}`, page(() => operationPage(one, reference))] as const,
    ),
    [
      `${folder}/reference.css`,
      { type: 'text/css; charset=utf-8', make: () => `${font === undefined ? '' : fontFace(font)}${style}` },
    ],
    [`${folder}/reference.js`, { type: 'text/javascript; charset=utf-8', make: () => script }],
    [`${folder}/mark.svg`, { type: 'image/svg+xml', make: () => mark }],
  ]);
}
