/** A request that the service suggests. */
interface SuggestedRequest {
  readonly method: string;
  readonly path: string;
}

const commandsOf: readonly (readonly [request: RegExp, command: string])[] = [
  [/^GET [/]v1[/]ledger-ops[/]actions[/]([^/]+)[/]events$/, 'ledger-ops action watch $1'],
  [/^GET [/]v1[/]ledger-ops[/]actions[/]([^/]+)[/]explain$/, 'ledger-ops action explain $1'],
  [/^POST [/]v1[/]ledger-ops[/]actions[/]([^/]+)[/]cancel$/, 'ledger-ops action cancel $1'],
  [/^POST [/]v1[/]ledger-ops[/]actions[/]([^/]+)[/]hurry$/, 'ledger-ops action hurry $1'],
  [
    /^GET [/]v1[/]ledger-ops[/]actions[?]wallet=([^&]+)&status=PENDING$/,
    'ledger-ops action list --wallet $1 --status PENDING',
  ],
  [/^GET [/]v1[/]cloud-wallet[/]wallets[/]([^/]+)[/]unknown-transactions$/, 'ledger-ops wallet unknown $1'],
  [/^POST [/]v1[/]ledger-ops[/]send$/, 'ledger-ops send, call or deploy'],
  [/^POST [/]v1[/]ledger-ops[/]emulate$/, 'the same command with --dry-run'],
  [/^GET [/]v1[/]admin[/]ledger-health$/, 'ledger-ops ledger health'],
  [/^GET [/]v1[/]ledger-ops[/]suspensions$/, 'ledger-ops suspended'],
  [/^GET [/]v1[/]technologies$/, 'ledger-ops ledger technologies'],
  [/^PUT [/]v1[/]admin[/]ledgers[/]([^/]+)$/, 'ledger-ops ledger change $1 --set <name>=<value>'],
  [/^GET [/]v1[/]plugins[/]selection[?]ledgerId=([^&]+)$/, 'ledger-ops plugin selection $1'],
];

/** Returns the command for a request that the service suggests; undefined if there is none. */
export function commandOfRequest({ method, path }: SuggestedRequest): string | undefined {
  const text = `${method} ${path}`;
  const [request, command] = commandsOf.find(([one]) => one.test(text)) ?? [];
  return request === undefined || command === undefined
    ? undefined
    : decodeURIComponent(text.replace(request, command));
}
