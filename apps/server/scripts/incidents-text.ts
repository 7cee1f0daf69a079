import { readFileSync } from 'node:fs';
import { pendingCodes } from '@ledger-ops/runtime';
import { requests } from '../src/explain/requests.ts';
import { endTexts, pendingTexts, type Step } from '../src/explain/texts.ts';
import { alertSteps } from './incident-steps.ts';

/** `docs/incidents.md`: from each alert, each pending reason and each end that is a failure to what to do. */
export function incidentsPage(): string {
  const alerts = readAlerts().map(({ name, severity, summary }) => {
    const steps = alertSteps[name];
    if (steps === undefined) throw new Error(`incident-steps.ts does not say what to do about ${name}.`);
    return `### ${name}\n\n_${severity}._ ${summary}\n\n${steps.map((step, index) => `${index + 1}. ${step}`).join('\n')}`;
  });
  const reasons = Object.entries(pendingCodes).map(([code, meaning]) => {
    const { waits, next } = pendingTexts[named(code)];
    return `### ${code}\n\n${meaning} In \`explain\`: _it waits: ${waits}_.\n\n${stepList(next)}`;
  });
  const ends = Object.entries(endTexts).map(
    ([name, { failed, next }]) => `| \`${name}\` | ${failed} | ${next.map(stepText).join(' ')} |`,
  );
  return `# Incidents

From what you see to what you do. Nothing here can have an operation executed twice: what is signed is sent again as it is, and what is not signed
yet waits. If you do not know, suspend (\`POST /v1/ledger-ops/suspensions\`, a ledger, a wallet or a project): what is asked for is accepted and waits,
and nothing more is signed until somebody resumes it.

This page is made from \`deploy/prometheus/alerts.yaml\`, the steps of \`apps/server/scripts/incident-steps.ts\` and the texts of \`apps/server/src/explain\` by \`pnpm --filter @ledger-ops/server generate\`; a test finds drift, and an alert or reason without steps.

## Alerts

${alerts.join('\n\n')}

## Pending reasons

\`pending.code\` of an action, and the label \`code\` of \`ledger_ops_pending_actions\`. \`GET /v1/ledger-ops/actions?status=PENDING&reason=<code>\` lists them; each of them tells the same of itself, with its own figures, by \`GET /v1/ledger-ops/actions/{actionId}/explain\`.

${reasons.join('\n\n')}

## Ends that are failures

The problem of an action that FAILED, without \`urn:ledger-ops:problem:\`. FAILED is final, and says that nothing of it will be executed any more; sent again, it is another action.

| Problem | It failed, since | Then |
| --- | --- | --- |
${ends.join('\n')}

## When a key may be known to others

| Which | Do |
| --- | --- |
| an API token or a key of an account | disable it (\`PUT /v1/admin/accounts/{accountId}/tokens/{tokenId}\`, \`…/keys/{keyId}\`), or archive the account with all of them (\`POST /v1/admin/accounts/{accountId}/archive\`); access tokens that came from it are refused from then on |
| an application's token | issue another one (\`POST /v1/admin/apps/{appId}/token\`, without \`keepFormer\`: both before are void at once) |
| a wallet's password | suspend the wallet, change the password (\`PUT /v1/cloud-wallet/wallets/{walletId}/password\`), resume it. Who had the password and the right to export may have the key: send what it holds to another wallet |
| the master key, without the database | nothing is opened by it alone. Stop, and make a new installation: keys of wallets are exported with their passwords and imported there |
| the master key and the database | what had actions under way can be signed for by others: send what these wallets hold to wallets of a new installation, at once |
`;
}

/** Names of the alerts, with their texts for people; places for values are left out. */
function readAlerts(): { name: string; severity: string; summary: string }[] {
  const file = readFileSync(new URL('../../../deploy/prometheus/alerts.yaml', import.meta.url), 'utf8');
  return file
    .split('- alert: ')
    .slice(1)
    .map((text) => ({
      name: /^\w+/.exec(text)?.[0] ?? '',
      severity: /severity: (\w+)/.exec(text)?.[1] ?? '',
      summary: (/summary: "(.*)"/.exec(text)?.[1] ?? '').replaceAll(
        /\{\{ *\$(?:labels\.)?(\w+)[^}]*\}\}/g,
        (_, name: string) => (name === 'value' ? '…' : `‹${name}›`),
      ),
    }));
}

function stepText([action, request]: Step): string {
  return request === null ? action : `${action} (\`${requests[request].method} ${requests[request].path}\`)`;
}

function stepList(steps: readonly Step[]): string {
  if (steps.length === 0) return 'Nothing need be done: it goes on by itself.';
  return steps.map((step, index) => `${index + 1}. ${stepText(step)}`).join('\n');
}

function named(code: string): keyof typeof pendingCodes {
  // Object.entries widens the names of the codes to text.
  return code as keyof typeof pendingCodes;
}
