/** Steps of a person for each alert of deploy/prometheus/alerts.yaml, in their order. */
export const alertSteps: Readonly<Record<string, readonly string[]>> = {
  LedgerOpsServerDown: [
    'Is the process there? Its exit code and the last lines of its log say why it ended; 2 is a setting, and one line names it.',
    'On PostgreSQL the others take its lanes over within a lease: look at `LedgerOpsLanesNotHeld` before you hurry.',
    '`doctor` on that machine, with the same settings, looks at all that a start needs.',
  ],
  LedgerOpsLedgerNotReached: [
    '`GET /v1/admin/ledger-health` names the ledger, its nodes and what each said last.',
    'Try the node from the server’s own machine: the way there, its certificate, its quota. A node with a private address has to be within `OUTBOUND_OPEN`.',
    'Add another node (`POST /v1/admin/nodes`), or suspend the ledger (`POST /v1/ledger-ops/suspensions`) so that people see why it stands still. Deadlines of actions go on.',
  ],
  LedgerOpsLanesNotHeld: [
    'Is a server down, or does it hang? Its `/livez` and its log say.',
    'Compare the clocks of servers and database: leases are held by the database’s clock, and a database that stands still gives none.',
    'Start one server anew. Nothing is lost by it: lanes are taken up where they were left.',
  ],
  LedgerOpsActionsOld: [
    '`GET /v1/ledger-ops/actions?status=PENDING&order=oldest` with the ledger shows the oldest; `…/explain` says why in sentences.',
    'Go to its pending reason below.',
  ],
  LedgerOpsWalletWithoutFunds: [
    'List them by `reason=funds`, and send native currency to their wallets. They go on by themselves.',
    'What nobody will pay for: `POST /v1/ledger-ops/actions/{actionId}/cancel`.',
  ],
  LedgerOpsActionsFail: [
    'List what FAILED: one problem in all of them is one cause; the table below says which.',
    'Does one caller, one contract or one plugin have them all? Tell its owner, and suspend what does harm.',
  ],
  LedgerOpsActionRetracted: [
    '`action.retracted` in the log names the actions: each had an end that its ledger does not show any more.',
    'Look at the ledger, with a node that is not yours. Do not send the operations again before you know: they may come back (`action.reinstated`).',
    'Suspend the ledger while you look. Raise its `confirmations` afterwards, or leave a node that showed a wrong chain.',
  ],
  LedgerOpsReplacements: [
    'Compare the ledger’s fees with its caps; where they rise, replacements are what they are for.',
    'A node that forgets transactions has them replaced as well: look at the nodes, and leave the one that does.',
  ],
  LedgerOpsNodesFail: [
    '`GET /v1/admin/ledger-health` says which nodes. Leave out one that fails (`PUT /v1/admin/nodes/{nodeId}`), and add another.',
    'Where all are slow, the limits of your provider may be reached.',
  ],
  LedgerOpsPluginDown: [
    '`GET /v1/plugins/{pluginId}` has its health and what failed last; its own lines stand in the log under its name.',
    'Deactivate and activate it: it is loaded anew. Its actions wait meanwhile, and go on.',
    'An earlier version of it that is registered and active takes over as soon as this one is deactivated.',
  ],
  LedgerOpsPluginRestarts: [
    '`plugin.ended` in the log says why. A process may take 512 MB.',
    'Have its author mend it; until then an earlier version, registered and active, serves.',
  ],
  LedgerOpsDatabaseSlow: [
    'SQLite: is the disk full, slow, or shared? A transaction is as long as the disk takes to keep it.',
    'PostgreSQL: long transactions of others, locks, connections, its own disk.',
  ],
  LedgerOpsWebhooksLate: [
    '`GET /v1/admin/late-events` names the webhooks of all projects that do not take their events, and says how each receiver answered; the log has a line `webhook failing` from when it took nothing any more. Tell the project’s administrators, who see every delivery (`GET /v1/webhooks/{webhookId}/deliveries`).',
    'They are tried for three days. Later a replay sends what was missed, of the last seven days.',
  ],
  LedgerOpsContractEventsLate: [
    '`GET /v1/admin/late-events` names the subscriptions of all projects that are late: `lastError` says why one cannot be read; one that is read has only much to catch up with, and `blockHeight` grows.',
    'A node that keeps no logs so far back cannot be read from there: give the ledger one that does, or have the project subscribe anew from a later block. What nobody wants for now can be paused.',
  ],
  LedgerOpsContractSubscriptionStopped: [
    '`GET /v1/admin/late-events` names it and its project: `reason` says whether the contract was deleted, or the ledger shows another chain than the one that was read. Of the latter the ledger’s nodes are the first suspects.',
    'Its project’s administrators delete it, and subscribe anew: `fromBlock` is where the new one begins. What was told stays told.',
  ],
  LedgerOpsWebhookDisabled: [
    '`GET /v1/admin/late-events` names it and its project, and says how it answered last. Its project’s administrators mend the receiver, enable it (`PUT /v1/webhooks/{webhookId}`), and replay what was missed (`POST /v1/webhooks/{webhookId}/replay`).',
  ],
  LedgerOpsStateNotRead: [
    'As with `LedgerOpsDatabaseSlow`. Until it is mended, no alert on pending actions says anything of this server.',
  ],
  LedgerOpsRequestsFail: [
    'The log has each answer of 5xx with its request id and its problem: one of them is usually the cause of all.',
    '503 with `Retry-After` is a server that is too busy or a ledger that is away; 500 is a fault of ours, for which the log has a stack.',
  ],
  LedgerOpsEventLoopBlocked: [
    'Compare the processor’s time with what the machine has. A short one wants more, or a second server on PostgreSQL.',
    'A trusted plugin (`PLUGINS_TRUSTED`) computes in this very loop: have it run in a process of its own.',
  ],
};
