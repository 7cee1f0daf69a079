// Runs attacks against a server, as a separate process. The variable ATTACK contains its input.
import { type Attacker, attacks } from './attacks.ts';

const { url, headers, organizationId, projectId, pluginUrl, seconds, names } = JSON.parse(
  process.env.ATTACK ?? '{}',
);
const counts: Record<string, Record<string, number>> = {};
const attacker: Attacker = {
  url: new URL(url),
  headers,
  organizationId,
  projectId,
  pluginUrl,
  signal: AbortSignal.timeout(seconds * 1_000),
  count(attack, what) {
    counts[attack] ??= {};
    counts[attack][what] = (counts[attack][what] ?? 0) + 1;
  },
};
await Promise.all((names as string[]).map((name) => attacks[name]?.run(attacker)));
process.stdout.write(JSON.stringify(counts), () => process.exit(0));
