import { html } from '../present/html.ts';
import { withoutSuccessor } from '../routes/legacy/successors.ts';
import { folder, frame, guidePage, isOld, label, pageOf } from './frame.ts';
import { guide } from './guide.generated.ts';
import type { Operation, Reference, Service } from './operations.ts';
import { prose } from './prose.ts';

/** Returns the first page: the guide, all operations by service, and replacements for deprecated operations. */
export function overviewPage(reference: Reference): string {
  const { services, title } = reference;
  const cards = guide.map(
    ({ name, title: text, summary }) =>
      `<li><a href="${guidePage(name)}">${html(text)}</a><p>${html(summary)}</p></li>`,
  );
  const today = services.filter((one) => !isOld(one));
  const main = `<h1>${html(title)}</h1><p class="lead">Ledger operations through custodial wallets, over HTTP. Every accepted operation is executed exactly once and tracked until it is final.</p><h2 id="guide">Guide</h2><ul class="cards">${cards.join('')}</ul><h2 id="operations">Operations</h2><p>The same reference as an OpenAPI 3.1 document: <a href="/openapi.json">/openapi.json</a>.</p>${today.map(serviceView).join('')}<h2 id="deprecated">Deprecated operations</h2><p>They keep working unchanged until the next major version. Their responses have <code>Deprecation</code> and <code>Link</code> headers, and they ignore unknown members.</p>${oldView(reference)}`;
  return frame(reference, folder, 'Reference', main);
}

function serviceView({ title, version, operations }: Service): string {
  const rows = operations
    .filter(({ deprecated }) => !deprecated)
    .map(
      (one) =>
        `<li id="${html(one.id)}"><a href="${pageOf(one)}">${label(one.method)}<span>${html(one.summary)}<code>${one.isSent ? 'to your URL' : html(one.path)}</code></span></a></li>`,
    );
  return `<h3>${html(title)}${version === undefined ? '' : ` <span class="version">${html(version)}</span>`}</h3><ul class="operations">${rows.join('')}</ul>`;
}

function oldView({ operations }: Reference): string {
  const nameOf = ({ method, path }: Operation) => `<code>${method} ${html(path)}</code>`;
  const rows = operations
    .filter(({ deprecated }) => deprecated)
    .map((one) => {
      const next = operations.find(({ id }) => id === one.successor);
      const instead =
        next === undefined
          ? prose(withoutSuccessor[one.id] ?? '')
          : `<a href="${pageOf(next)}">${nameOf(next)}</a>`;
      return `<tr id="${html(one.id)}"><td><a href="${pageOf(one)}">${nameOf(one)}</a></td><td>${instead}</td></tr>`;
    });
  return `<div class="wide" tabindex="0" role="region" aria-label="Deprecated operations"><table><thead><tr><th scope="col">Deprecated</th><th scope="col">Replacement</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}
