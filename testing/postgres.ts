import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { TestProject } from 'vitest/node';
import {
  type OwnPostgresCluster,
  startPostgresCluster,
} from '../packages/store/src/testing/postgres-cluster.ts';

/** One PostgreSQL server for the whole run, started when the first file needs it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const path = `/${randomBytes(16).toString('hex')}`;
  let cluster: Promise<OwnPostgresCluster> | undefined;
  const server = createServer((request, response) => {
    if (request.url !== path) {
      response.writeHead(404).end();
      return;
    }
    cluster ??= startPostgresCluster();
    cluster.then(
      ({ adminUrl }) => response.end(adminUrl),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new TypeError('The server has no port.');
  project.provide('postgres', `http://127.0.0.1:${address.port}${path}`);
  return async () => {
    server.close();
    await (await cluster)?.stop();
  };
}
