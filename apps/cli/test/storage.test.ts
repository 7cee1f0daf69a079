import { expect, onTestFinished, test } from 'vitest';
import { json, openFake } from './fake-service.ts';
import { openShell } from './shell.ts';

test('storage list shows the project or subscription that uses the most of a limit', async () => {
  const [service, shell] = await Promise.all([openFake(), openShell()]);
  onTestFinished(async () => {
    await shell.close();
    await service.close();
  });
  shell.environment = service.environment;
  const shared = { description: 'Stored records.', setBy: 'default' };
  service.answers['GET /v1/admin/organizations/acme/storage-limits'] = json({
    items: [
      { ...shared, limit: 'projects', unit: 'records', used: 3, usedBy: null, most: 1000 },
      { ...shared, limit: 'project-event-bytes', unit: 'bytes', used: 900, usedBy: 'till', most: 1000 },
    ],
  });
  const { out } = await shell.run('storage', 'list', '--org', 'acme');
  expect(out).toMatch(/^LIMIT +USED +MOST +UNIT +SET BY +USED BY/im);
  expect(out).toMatch(/^projects +3 +1000 +records +default *$/m);
  expect(out).toMatch(/^project-event-bytes +900 +1000 +bytes +default +till *$/m);
});
