import { permissionTable } from '@ledger-ops/auth';
import { problemCatalogue, problemType } from '@ledger-ops/base';
import { pendingCodes } from '@ledger-ops/runtime';
import { requests } from '../src/explain/requests.ts';
import { endTexts, pendingTexts, type Step } from '../src/explain/texts.ts';
import { groupByPath } from '../src/http/mount.ts';
import { neededOf, type Route, type RoutePermission } from '../src/http/route.ts';
import { type ServiceName, services } from '../src/http/services.ts';
import { type Metric, metrics } from '../src/metrics/catalogue.ts';
import { pageOf } from '../src/reference/frame.ts';
import { withoutSuccessor } from '../src/routes/legacy/successors.ts';

/**
 * Returns the parts of pages in `docs` that are generated from the code, by the names that the pages use to include
 * them.
 */
export function docsTables(routes: readonly Route[]): Readonly<Record<string, string>> {
  return {
    failures: failureTable(),
    metrics: metricTable(),
    migration: successorTables(routes),
    'pending-reasons': pendingReasons(),
    permissions: operationTables(routes),
    problems: problemTable(),
    roles: permissionTable(),
  };
}

function problemTable(): string {
  const rows = Object.entries(problemCatalogue)
    .toSorted(([, a], [, b]) => a.status - b.status)
    .map(([name, { status, title }]) => [String(status), `\`${problemType(named(name))}\``, title]);
  return table(['Status', 'Type', 'Title'], rows);
}

function metricTable(): string {
  const rows = Object.entries<Metric>(metrics).map(([name, { type, labels, help }]) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(', '),
    help,
  ]);
  return table(['Metric', 'Type', 'Labels', 'What it counts or measures'], rows);
}

/** Operations by service, with their pages and the permissions that they need. */
function operationTables(routes: readonly Route[]): string {
  return serviceSections(['Request', 'Operation', 'Needs'], (service) =>
    groupByPath(routes.filter((route) => route.service === service))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([, group]) => group)
      .map(({ method, path, operationId, summary, permission, deprecated }) => {
        const suffix = deprecated === true ? ' (deprecated)' : '';
        // Contains the summary, so that the site's search finds the operation: it does not index the pages below
        // /docs.
        const page = `[\`${operationId}\`](${pageOf({ id: operationId })}){target="_self"}: ${summary}${suffix}`;
        return [`\`${method.toUpperCase()} ${path}\``, page, neededText(permission)];
      }),
  );
}

/** Table with the successor of each deprecated operation, by service. */
function successorTables(routes: readonly Route[]): string {
  const successorOf = ({ method, successor, operationId }: Route) => {
    const there = routes.filter(({ path }) => path === successor);
    const found = there.find((one) => one.method === method) ?? there[0];
    if (found === undefined) return withoutSuccessor[operationId] ?? '';
    return `\`${found.method.toUpperCase()} ${found.path}\``;
  };
  return serviceSections(['Deprecated', 'Use instead'], (service) =>
    routes
      .filter((route) => route.deprecated === true && route.service === service)
      .map((route) => [`\`${route.method.toUpperCase()} ${route.path}\``, successorOf(route)]),
  );
}

/** Returns a section with a table for each service that has rows. */
function serviceSections(head: readonly string[], rowsOf: (service: ServiceName) => string[][]): string {
  return Object.entries(services)
    .map(([name, { title }]) => ({ title, rows: rowsOf(serviceNamed(name)) }))
    .filter(({ rows }) => rows.length > 0)
    .map(({ title, rows }) => `### ${title}\n\n${table(head, rows)}`)
    .join('\n\n');
}

function pendingReasons(): string {
  return Object.entries(pendingCodes)
    .map(([code, meaning]) => {
      const { waits, next } = pendingTexts[codeNamed(code)];
      const steps =
        next.length === 0
          ? 'Nothing to do: the action continues without help.'
          : next.map((step, index) => `${index + 1}. ${stepText(step)}`).join('\n');
      return `### ${code}\n\n${meaning} In \`explain\`: _it waits: ${waits}_.\n\n${steps}`;
    })
    .join('\n\n');
}

function failureTable(): string {
  const rows = Object.entries(endTexts).map(([name, { failed, next }]) => [
    `\`${name}\``,
    failed,
    next.map(stepText).join(' '),
  ]);
  return table(['Problem', 'Why it failed', 'Then'], rows);
}

function stepText([action, request]: Step): string {
  return request === null ? action : `${action} (\`${requests[request].method} ${requests[request].path}\`)`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Describes what a caller needs for an operation. */
export function neededText(permission: RoutePermission): string {
  if (permission === 'public') return 'nothing';
  if (permission === 'application-token') return 'the ApplicationToken only';
  const { on, also = [], gives } = permission;
  const code = (names: readonly string[], word: string) => names.map((name) => `\`${name}\``).join(word);
  const needs = code(neededOf(permission), ' or ');
  return [
    on === 'self' ? ['oneself', needs].filter((one) => one !== '').join(' or ') : `${needs} on the ${on}`,
    ...(also.length === 0 ? [] : [`${code(also, ', ')} on records that the request names`]),
    ...(gives === true ? ['the permissions that it grants'] : []),
  ].join('; ');
}

// Object.entries widens the names of services, problems and codes to text.
const serviceNamed = (name: string) => name as ServiceName;
const named = (name: string) => name as keyof typeof problemCatalogue;
const codeNamed = (code: string) => code as keyof typeof pendingCodes;
