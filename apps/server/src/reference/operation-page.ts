import type { Json } from '../openapi/portable.ts';
import { html } from '../present/html.ts';
import { withoutSuccessor } from '../routes/legacy/successors.ts';
import { frame, guidePage, label, pageOf } from './frame.ts';
import type { Answer, Operation, Parameter, Reference } from './operations.ts';
import { prose } from './prose.ts';
import { requestExample } from './request-example.ts';
import { boundsOf, schemaView, typeText } from './schema-view.ts';
import { tryForm } from './try-form.ts';

/** Returns the HTML of an operation's reference page. */
export function operationPage(operation: Operation, reference: Reference): string {
  const { method, path, summary, description, isSent, parameters, answers } = operation;
  const title = reference.services.find(({ operations }) => operations.includes(operation))?.title ?? '';
  const canTry = reference.isServed && !isSent;
  const examples = `${isSent ? '' : requestView(operation)}${canTry ? tryForm(operation) : ''}`;
  const main = `<p class="service">${html(title)}</p><h1>${html(summary)}</h1><p class="path">${label(method)} <code>${isSent ? 'to your URL' : html(path)}</code></p>${oldNotice(operation, reference)}${description === '' ? '' : `<p>${prose(description)}</p>`}${needsOf(operation)}<div class="columns"><div>${parametersView(parameters, reference.schemas)}${bodyView(operation, reference.schemas)}<h2 id="responses">Responses</h2>${answers.map((one) => answerView(one, reference.schemas)).join('')}</div><aside aria-label="Examples">${examples}</aside></div>`;
  return frame(reference, pageOf(operation), summary, main);
}

function oldNotice({ id, deprecated, successor }: Operation, { operations }: Reference): string {
  if (!deprecated) return '';
  const next = operations.find((one) => one.id === successor);
  const instead =
    next === undefined
      ? ` ${prose(withoutSuccessor[id] ?? '')}`
      : ` Replaced by <a href="${pageOf(next)}">${html(next.summary)}</a>, <code>${next.method} ${html(next.path)}</code>.`;
  return `<p class="notice">Deprecated.${instead}</p>`;
}

function needsOf({ needs, permission, isSent }: Operation): string {
  if (isSent) return '';
  if (!needs.application && !needs.caller) return '<p class="needs">Requires no credentials.</p>';
  const headers = [
    '<code>ApplicationToken</code>',
    ...(needs.caller ? ['<code>Authorization: Bearer …</code>'] : []),
  ];
  const right = permission === undefined ? '' : `, and the permission <code>${html(permission)}</code>`;
  return `<p class="needs">Requires ${headers.join(' and ')}${right}.</p>`;
}

function parametersView(parameters: readonly Parameter[], schemas: Json): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, place, required, schema }) => {
    const about = typeof schema.description === 'string' ? `<p>${prose(schema.description)}</p>` : '';
    const bounds = boundsOf(schema);
    return `<li><div><code>${html(name)}</code> <span class="type">${html(typeText(schema, schemas))} in the ${html(place)}</span>${required ? ' <span class="required">required</span>' : ''}</div>${about}${bounds.length === 0 ? '' : `<p class="bounds">${bounds.join(' · ')}</p>`}</li>`;
  });
  return `<h2 id="parameters">Parameters</h2><ul class="members">${rows.join('')}</ul>`;
}

function bodyView({ body }: Operation, schemas: Json): string {
  if (body === undefined) return '';
  const can = body.required ? '' : ' Optional.';
  return `<h2 id="body">Body</h2><p><code>${html(body.type)}</code>. ${prose(body.description)}${can}</p>${schemaView(body.schema, schemas)}`;
}

function answerView({ status, description, type, schema, example }: Answer, schemas: Json): string {
  const isGood = status < '400';
  const content =
    type === undefined
      ? ''
      : `<p><code>${html(type)}</code></p>${isGood ? schemaView(schema, schemas) : ''}<h3>Example</h3>${block(example)}`;
  return `<details class="answer"${isGood ? ' open' : ''}><summary><b class="status s${html(status.charAt(0))}">${html(status)}</b> ${isGood ? prose(description) : html(problemNames(description))}</summary>${isGood ? '' : problemList(description)}${content}</details>`;
}

/** Parses the document's list of problems: `` `name`: Title. `` repeated. */
const problems = (description: string) => [...description.matchAll(/`([a-z-]+)`: ([^`]+?)\.(?= `|$)/g)];

function problemNames(description: string): string {
  const names = problems(description).map(([, name = '']) => name);
  return names.length === 0 ? description : names.join(', ');
}

function problemList(description: string): string {
  const rows = problems(description).map(
    ([, name = '', title = '']) =>
      `<li><div><code>urn:ledger-ops:problem:${html(name)}</code></div><p>${html(title)}.</p></li>`,
  );
  return rows.length === 0 ? '' : `<ul class="members">${rows.join('')}</ul>`;
}

function requestView(operation: Operation): string {
  const where = operation.needs.application
    ? `<p><code>api</code> is defined in <a href="${guidePage('tokens')}">Tokens</a>.</p>`
    : '';
  return `<h2 id="request">Request</h2>${where}${block(requestExample(operation))}`;
}

function block(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
  return `<pre tabindex="0"><code>${html(text ?? '')}</code></pre>`;
}
