/** The part of a response that discloses data. */
export interface Told {
  readonly status: number;
  readonly text: string;
}

/** Operations whose empty response has a specific form. */
const ownWords: Readonly<Record<string, RegExp>> = {
  getTransactionsStatus:
    /^200 \[\{"details":\{"contractAddress":null,"locator":null\},"problem":\{"type":"[^"]*:not-found"/,
  validateServiceAccountCredentials: /^401 /,
  listActions: /^200 \{"actions":\[\],"next":null\}$/,
  countActions:
    /^200 \{"status":\{"PENDING":0,"SUCCEEDED":0,"FAILED":0\},"stage":\{"blocked":0,"ready":0,"signed":0\},"pending":\{\},/,
  // Every caller sees the ledger that the deployer shares.
  adminListLedgers: /^200 \{"items":\[\{[^[\]]*"projectId":"system"[^[\]]*\}\],"next":null\}$/,
  // Every caller sees built-in plugins and their technologies.
  listTechnologies:
    /^200 \{"technologies":\[\{[^[]*"name":"ethereum".*"plugins":\[\{"id":"ethereum"[^\]]*\]\}\]\}$/,
  listPlugins:
    /^200 .*"pageContent":\[\{[^{}]*"projectId":"system"[^{}]*"url":"built-in:ethereum"[^{}]*\}\]\}$/,
};

/** Whether a response refuses the request as for a caller without permissions, or is an empty search result. */
export function tellsNothing(answer: Told, operationId: string): boolean {
  const { status, text } = answer;
  if (status === 403 || status === 404 || isEmpty(answer)) return true;
  return ownWords[operationId]?.test(`${status} ${text}`) === true;
}

/**
 * Returns the content of a response without values that change on their own: figures of followed ledgers, and
 * the time spans of a summary.
 */
export function withoutFigures(text: string): string {
  return text
    .replace(/"followed":\[[^\]]*\]/, '"followed":[]')
    .replace(/"from":"[^"]*","spanSeconds":\d+,"spans":(\[[^\]]*\])/, (_, spans: string) =>
      JSON.stringify({ spans: countsOf(JSON.parse(spans)) }).slice(1, -1),
    );
}

/**
 * Returns the spans of a summary without their times and without empty spans, because the period begins at a
 * different time in each summary.
 */
function countsOf(spans: readonly { at: string }[]): object[] {
  return spans
    .map(({ at: _, ...counts }) => counts)
    .filter((counts) => Object.values(counts).some((count) => count !== 0));
}

/** Whether the response is an empty search result. */
function isEmpty({ status, text }: Told): boolean {
  if (status !== 200 || !/^[[{]/.test(text)) return false;
  const body: unknown = JSON.parse(text);
  if (Array.isArray(body)) return body.length === 0;
  if (typeof body !== 'object' || body === null) return false;
  if ('items' in body) return Array.isArray(body.items) && body.items.length === 0;
  if ('totalElements' in body) return body.totalElements === 0;
  return 'pageContent' in body && Array.isArray(body.pageContent) && body.pageContent.length === 0;
}
