import { permissionTable } from '@ledger-ops/auth';
import { problemCatalogue, problemType } from '@ledger-ops/base';
import { groupByPath } from '../src/http/mount.ts';
import { neededOf, type Route, type RoutePermission } from '../src/http/route.ts';
import { type ServiceName, services } from '../src/http/services.ts';
import { type Metric, metrics } from '../src/metrics/catalogue.ts';
import { withoutSuccessor } from '../src/routes/administration/successors.ts';

/** `docs/problems.md`: every problem type. */
export function problemsPage(): string {
  const rows = Object.entries(problemCatalogue)
    .toSorted(([, a], [, b]) => a.status - b.status)
    .map(([name, { status, title }]) => `| ${status} | \`${problemType(named(name))}\` | ${title} |`);
  return `# Problems

Every failure is answered as \`application/problem+json\` (RFC 9457): \`type\`, \`title\`, \`status\`, \`detail\`, and for invalid input \`errors\`, a list of \`{pointer, detail}\` where \`pointer\` is a JSON Pointer (RFC 6901) into the body, or the name of a parameter or header. A FAILED action carries the same document as its \`problem\`, with the status that a direct answer would have had. 429 and 503 come with \`Retry-After\`. The token endpoint answers 401 with the body of RFC 6749 §5.2 instead.

This page is made from \`packages/base/src/catalogue.ts\` by \`pnpm --filter @ledger-ops/server generate\`; a test finds drift.

| Status | Type | Title |
| --- | --- | --- |
${rows.join('\n')}
`;
}

/** `docs/metrics.md`: every metric. */
export function metricsPage(): string {
  const rows = Object.entries<Metric>(metrics).map(
    ([name, { type, labels, help }]) =>
      `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`,
  );
  return `# Metrics

\`METRICS_PORT\` (and \`METRICS_HOST\`, loopback unless it says otherwise) has the server answer \`GET /metrics\` in Prometheus’ text format, on a port of its own. It asks for no credentials: let nobody reach it but whoever may read the ids of all ledgers and how much is done on them. Without it nothing is counted.

\`\`\`yaml
scrape_configs:
  - job_name: ledger-ops
    static_configs:
      - targets: ["ledger-ops-1:9464", "ledger-ops-2:9464"]
\`\`\`

The compose files have a Prometheus that does this (\`--profile metrics\`, [\`deploy\`](../deploy/README.md)). In Kubernetes, from a namespace labelled \`ledger-ops/metrics: allowed\`:

\`\`\`yaml
scrape_configs:
  - job_name: ledger-ops
    kubernetes_sd_configs:
      - role: pod
    relabel_configs:
      - source_labels: [__meta_kubernetes_pod_label_app_kubernetes_io_name, __meta_kubernetes_pod_container_port_name]
        regex: ledger-ops;metrics
        action: keep
\`\`\`

Each server tells what it did itself since it was started: sum over the servers, and take \`increase\` or \`rate\` of counters. Labels are bounded: \`ledger\` is a ledger’s id, for the first 50 ledgers of which something is told, and \`other\` for all beyond; ledgers of two projects with the same id share their series. No address, no id of a caller and no path as it was requested stands in a label.

## Alerts and dashboards

[\`deploy/prometheus/alerts.yaml\`](../deploy/prometheus/alerts.yaml) has a rule for each thing that somebody should look at, with what to do; the job is to be called \`ledger-ops\`. [\`deploy/grafana/ledger-ops.json\`](../deploy/grafana/ledger-ops.json) is a dashboard to be imported. A test has Prometheus scrape a server, and provokes the cause of each rule: a node that answers errors, an emptied wallet, a plugin that ends, a database that is away.

## Metrics

| Metric | Type | Labels | What it counts or measures |
| --- | --- | --- | --- |
${rows.join('\n')}

Beside these there are those of the process and of Node by their usual names (\`process_cpu_seconds_total\`, \`process_resident_memory_bytes\`, \`nodejs_eventloop_lag_p99_seconds\`, \`nodejs_heap_size_used_bytes\` …).

The table is made from \`apps/server/src/metrics/catalogue.ts\` by \`pnpm --filter @ledger-ops/server generate\`; a test finds drift.
`;
}

/** `docs/permissions.md`: what each operation needs, and who has it. */
export function permissionsPage(routes: readonly Route[]): string {
  const sections = Object.entries(services).flatMap(([name, { title }]) => {
    const own = routes.filter(({ service }) => service === serviceNamed(name));
    if (own.length === 0) return [];
    const rows = groupByPath(own)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([, group]) => group)
      .map(({ method, path, permission, deprecated }) => {
        const old = deprecated === true ? ' (deprecated)' : '';
        return `| \`${method.toUpperCase()} ${path}\`${old} | ${neededText(permission)} |`;
      });
    return [`### ${title}\n\n| Operation | Needs |\n| --- | --- |\n${rows.join('\n')}`];
  });
  return `# Permissions

A permission is \`<resource type>:<verb>\`. A role is a named set of them, held by an identity or by an application on a resource, and counts there and on everything below it (wallet → project → organization → system). A caller may act when its identity's roles _and_ its application's roles both grant what the operation needs. \`GET /v1/admin/permission-check\` says which of them are missing. Who may not even see a record is told that there is none (404), else 403.

This page is made from \`packages/auth/src/access/permissions.ts\`, \`roles.ts\` and the route table by \`pnpm --filter @ledger-ops/server generate\`; a test finds drift.

## Operations

_On the record_: on the record that the request names, or on the one below which something is created; listings show what the caller may see. _On the project_: on the project of the caller's application. _Oneself or_: everybody on themselves, on others with the permission. _On what it names_: where the request names such a record. _What is given_: roles and credentials are given only by who holds every permission that goes along with them. \`<type>\` is the type of the record. A test calls each operation without what stands here, and with nothing else.

${sections.join('\n\n')}

## Roles and what they grant

${permissionTable()}`;
}

/** `docs/migration.md`: what stands in the place of each deprecated operation. */
export function migrationPage(routes: readonly Route[]): string {
  const old = routes.filter(({ deprecated }) => deprecated === true);
  const next = ({ method, successor }: Route) => {
    const there = routes.filter(({ path }) => path === successor);
    return there.find((one) => one.method === method) ?? there[0];
  };
  const sections = Object.entries(services).flatMap(([name, { title }]) => {
    const rows = old
      .filter(({ service }) => service === serviceNamed(name))
      .map((route) => {
        const instead = next(route);
        const text =
          instead === undefined
            ? (withoutSuccessor[route.operationId] ?? '')
            : `\`${instead.method.toUpperCase()} ${instead.path}\``;
        return `| \`${route.method.toUpperCase()} ${route.path}\` | ${text} |`;
      });
    return rows.length === 0
      ? []
      : [
          `### ${title.replace(' (deprecated)', '')}\n\n| Deprecated | In its place |\n| --- | --- |\n${rows.join('\n')}`,
        ];
  });
  return `# From deprecated operations

${old.length} operations are deprecated, and stay as they are until the next major version. Their answers say so by \`Deprecation\` (RFC 9745), and where another operation stands in their place, by \`Link: <…>; rel="successor-version"\`. Where none does, the table says how to go on.

Find them in your own traffic by that header, or in the server's log: each line has the route's path.

## What differs

- **Names of ids** are spelt one way: \`organizationId\`, \`projectId\`, \`appId\`, \`accountId\`, where older bodies have \`organizationID\` and others.
- **Lists** come by \`cursor\` and \`next\` ([Pages](guide/pages.md)), not by number of the page.
- **What is created** is answered with 201 and \`Location\`.
- **Members that are not known** are refused, as they are everywhere but in deprecated operations: a spelling mistake is found when it is made.

## Each operation

${sections.join('\n\n')}

This page is made from the route table by \`pnpm --filter @ledger-ops/server generate\`; a test finds drift.
`;
}

/** The needs of an operation, in words. */
export function neededText(permission: RoutePermission): string {
  if (permission === 'public') return 'nothing';
  if (permission === 'application-token') return 'the ApplicationToken only';
  const { on, also = [], gives } = permission;
  const code = (names: readonly string[], word: string) => names.map((name) => `\`${name}\``).join(word);
  const needs = code(neededOf(permission), ' or ');
  return [
    on === 'self' ? ['oneself', needs].filter((one) => one !== '').join(' or ') : `${needs} on the ${on}`,
    ...(also.length === 0 ? [] : [`on what it names ${code(also, ', ')}`]),
    ...(gives === true ? ['what is given'] : []),
  ].join('; ');
}

function serviceNamed(name: string): ServiceName {
  // Object.entries widens the names of the services to text.
  return name as ServiceName;
}

function named(name: string): keyof typeof problemCatalogue {
  // Object.entries widens the names of the catalogue to text.
  return name as keyof typeof problemCatalogue;
}
