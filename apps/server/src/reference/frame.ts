import { html } from '../present/html.ts';
import { guide } from './guide.generated.ts';
import type { Operation, Reference, Service } from './operations.ts';

/** Folder of the reference's pages. */
export const folder = '/docs';

/** Returns the path of an operation's page. */
export const pageOf = ({ id }: Pick<Operation, 'id'>) => `${folder}/${encodeURIComponent(id)}`;

/** Returns the path of a guide page. */
export const guidePage = (name: string) => `${folder}/guide-${name}`;

export const label = (method: string) => `<b class="method ${method.toLowerCase()}">${method}</b>`;

/** Whether a service is entirely deprecated. */
export const isOld = ({ operations }: Service) => operations.every(({ deprecated }) => deprecated);

/**
 * Returns a complete page; the table of contents is next to it, or behind a button on narrow screens. It
 * works without its script.
 * @param current path of the page
 */
export function frame(reference: Reference, current: string, title: string, main: string): string {
  const name = html(reference.title);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="description" content="${html(title)}: reference of ${name}"><title>${html(title)} · ${name}</title><link rel="icon" href="${folder}/mark.svg" type="image/svg+xml"><link rel="stylesheet" href="${folder}/reference.css"><script type="module" src="${folder}/reference.js"></script></head><body><a class="skip" href="#main">Skip to content</a><header><a class="name" href="${folder}"><img src="${folder}/mark.svg" alt="" width="24" height="24">${name}</a><span class="version">${html(reference.version)}</span>${reference.isServed ? '' : '<a href="/">Documentation</a>'}<button type="button" popovertarget="contents">Contents</button></header><nav id="contents" popover aria-label="Contents">${contents(reference, current)}</nav><main id="main">${main}</main></body></html>`;
}

function contents({ services }: Reference, current: string): string {
  const link = (address: string, text: string) =>
    `<li><a href="${address}"${address === current ? ' aria-current="page"' : ''}>${text}</a></li>`;
  const list = (service: Service, open: boolean) =>
    `<details${open ? ' open' : ''}><summary>${html(service.title)}</summary><ul>${service.operations
      .map((one) =>
        link(
          pageOf(one),
          `${label(one.method)}<span${one.deprecated ? ' class="old"' : ''} data-find="${html(`${one.path} ${one.id}`)}">${html(one.summary)}</span>`,
        ),
      )
      .join('')}</ul></details>`;
  const isHere = ({ operations }: Service) => operations.some((one) => pageOf(one) === current);
  const [old, today] = [services.filter(isOld), services.filter((one) => !isOld(one))];
  const guideList = guide.map(({ name, title }) => link(guidePage(name), html(title))).join('');
  return `<label class="find" hidden>Find <input id="find" type="search" placeholder="operation, path or word" autocomplete="off"></label><p id="found" role="status"></p><details open><summary>Guide</summary><ul>${link(folder, 'Overview')}${guideList}</ul></details>${today
    .map((one) => list(one, isHere(one)))
    .join(
      '',
    )}<details class="older"${old.some(isHere) ? ' open' : ''}><summary>Deprecated services</summary>${old
    .map((one) => list(one, isHere(one)))
    .join('')}</details>`;
}
