import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** Files that exist in every container, because container engines create one of them. */
const containerFiles = ['/.dockerenv', '/run/.containerenv'];

/**
 * Returns a hash of the machine's id; a hash, because a copied database must not disclose the id. Returns null if there
 * is no id, and in a container, where the id comes from the image or is created at each start.
 *
 * @param environment variables of the process, some of which Kubernetes, systemd-nspawn and Podman set in every
 * container
 */
export async function readMachineId(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string | null> {
  const { KUBERNETES_SERVICE_HOST: kubernetes, container } = environment;
  if (kubernetes !== undefined || container !== undefined || containerFiles.some(existsSync)) return null;
  const id = (await readFile('/etc/machine-id', 'utf8').catch(() => '')).trim();
  // An image contains the text `uninitialized` instead of an id until its first boot has completed.
  if (!/^[0-9a-f]{32}$/.test(id)) return null;
  return createHash('sha256').update(`ledger-ops:${id}`).digest('hex').slice(0, 32);
}
