import { setImmediate } from 'node:timers/promises';
import {
  type Activity,
  bundleActivities,
  recordActivities,
  recordActivity,
  systemUid,
} from '@ledger-ops/auth';
import { describeDialects } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { createWorld, failure, timelineOf, type World } from '../../test/world.ts';
import type { TimelineFilter, TimelineOrder } from './timeline.ts';

describeDialects('the timeline', (open) => {
  async function start() {
    const world = await createWorld(await open());
    const { auth, store, owner, project, caller } = world;
    await store.transaction((tx) =>
      auth.assignRole(tx, { holder: { identity: owner }, role: 'viewer', resourceUid: project.uid }),
    );
    return { ...world, timeline: timelineOf(store), principal: caller };
  }

  const activity = (world: World, change: Partial<Activity> = {}): Activity => ({
    action: 'create',
    service: 'test',
    resourceUid: 'r1',
    resourceId: 'one',
    resourceType: 'contract-group',
    scope: world.project.uid,
    performedAt: Date.parse('2026-11-20T12:30:00Z'),
    ...change,
  });

  const write = (world: World, ...changes: Partial<Activity>[]) =>
    world.store.transaction((tx) =>
      recordActivities(
        tx,
        changes.map((change) => ({ actor: world.caller, activity: activity(world, change) })),
        Date.parse('2026-11-20T12:30:01Z'),
      ),
    );

  it('the timeline returns activities with RFC 3339 dates', async () => {
    const world = await start();
    await write(world, { targetObject: 'Name' });
    const records = await world.timeline.byResource(world.principal, 'one');
    expect(records).toEqual([
      {
        action: 'create',
        datePerformed: '2026-11-20T12:30:00.000Z',
        dateRegistered: '2026-11-20T12:30:01.000Z',
        identity: world.caller.serviceId,
        appID: world.caller.appId,
        projectID: world.project.projectId,
        pubsubMessageID: records[0]?.pubsubMessageID,
        resourceID: 'one',
        resourceType: 'contract-group',
        service: 'test',
        targetObject: 'Name',
      },
    ]);
    expect(records[0]?.pubsubMessageID).toMatch(/^[0-9a-f-]{36}$/);
    expect(await world.timeline.byResource(world.principal, 'r1')).toEqual(records);
  });

  it('every way of reading returns each activity of one batch exactly once', async () => {
    const world = await start();
    const bundle = (...ids: string[]) =>
      world.store.transaction((tx) =>
        bundleActivities(
          tx,
          ids.map((resourceId) => ({ actor: world.caller, activity: activity(world, { resourceId }) })),
          Date.parse('2026-11-20T12:30:01Z'),
        ),
      );
    const from = await world.timeline.latest();
    await bundle('a', 'b');
    await Promise.all([1, 2, 3].map(() => world.timeline.byResource(world.principal, 'a')));
    await bundle('c');
    expect(await world.timeline.byResource(world.principal, 'b')).toHaveLength(1);
    const { activities, next } = await world.timeline.since(world.principal, from);
    expect(activities.map(({ record }) => record.resourceID)).toEqual(['a', 'b', 'c']);
    await bundle('d');
    const more = await world.timeline.since(world.principal, next);
    expect(more.activities.map(({ record }) => record.resourceID)).toEqual(['d']);
  });

  it('searches activities since a date by resource, by service and action, or by type, and returns the oldest first', async () => {
    const world = await start();
    const at = (text: string) => Date.parse(text);
    await write(
      world,
      { resourceId: 'b', action: 'update', performedAt: at('2026-11-20T12:00:02Z') },
      { resourceId: 'a', performedAt: at('2026-11-20T12:00:01Z') },
      { resourceId: 'c', resourceType: 'ledger', performedAt: at('2026-11-20T12:00:03Z') },
    );
    const { timeline, principal } = world;
    const ids = (records: { resourceID: string }[]) => records.map(({ resourceID }) => resourceID);
    const from = '2026-11-20T12:00:01Z';
    expect(ids(await timeline.byResourceType(principal, 'contract-group', from))).toEqual(['a', 'b']);
    expect(
      ids(await timeline.byResourceType(principal, 'contract-group', '2026-11-20T13:00:01.001+01:00')),
    ).toEqual(['b']);
    expect(ids(await timeline.byServiceAndAction(principal, 'test', 'create', from))).toEqual(['a', 'c']);
    expect(await timeline.byServiceAndAction(principal, 'other', 'create', from)).toEqual([]);
    expect(await timeline.byResource(principal, 'a', '2026-11-20T12:00:02Z')).toEqual([]);
  });

  it('timeline queries reject invalid dates and resource types', async () => {
    const { timeline, principal } = await start();
    for (const from of [
      undefined,
      '',
      'yesterday',
      '2026-11-20',
      '2026-02-30T00:00:00Z',
      '2026-11-20T12:00:00',
    ]) {
      expect(await failure(timeline.byResourceType(principal, 'ledger', from))).toMatchObject({
        problem: 'invalid-request',
        errors: [{ pointer: 'from' }],
      });
    }
    expect(await failure(timeline.byResource(principal, 'x', 'soon'))).toMatchObject({
      errors: [{ pointer: 'from' }],
    });
    expect(await failure(timeline.byResourceType(principal, 'thing', '2026-11-20T12:00:00Z'))).toMatchObject({
      errors: [{ pointer: 'type' }],
    });
  });

  it('returns only activities that the caller may read: those of its project and of public deployer resources', async () => {
    const world = await start();
    await write(
      world,
      { resourceId: 'own' },
      { resourceId: 'foreign', scope: world.other.uid },
      { resourceId: 'shared', scope: systemUid, resourceType: 'plugin' },
      { resourceId: 'node', scope: systemUid, resourceType: 'node' },
    );
    const { timeline, principal } = world;
    const seen = await timeline.byServiceAndAction(principal, 'test', 'create', '2026-11-20T00:00:00Z');
    expect(seen.map(({ resourceID, projectID }) => [resourceID, projectID])).toEqual([
      ['own', world.project.projectId],
      ['shared', 'system'],
    ]);
  });

  it('returns activities on an identity only to that identity', async () => {
    const world = await start();
    const identity = { resourceType: 'identity', scope: systemUid } as const;
    const { serviceId } = world.caller;
    await write(
      world,
      { ...identity, resourceUid: serviceId, resourceId: serviceId },
      { ...identity, resourceUid: 'other', resourceId: 'other' },
    );
    const { timeline, principal } = world;
    const seen = await timeline.byResourceType(principal, 'identity', '2026-11-20T00:00:00Z');
    expect(seen.map(({ resourceID }) => resourceID)).toEqual([serviceId]);
  });

  it("a caller whose only role is on one resource sees only that resource's activities", async () => {
    const world = await start();
    const { auth, store, owner, project, group, timeline, principal } = world;
    const { groupId } = await group();
    await store.transaction(async (tx) => {
      await auth.revokeRole(tx, { holder: { identity: owner }, role: 'viewer', resourceUid: project.uid });
      await auth.assignRole(tx, { holder: { identity: owner }, role: 'viewer', resourceUid: groupId });
    });
    await write(world, { resourceUid: groupId, resourceId: groupId }, { resourceId: 'beside' });
    const seen = await timeline.byServiceAndAction(principal, 'test', 'create', '2026-11-20T00:00:00Z');
    expect(seen.map(({ resourceID }) => resourceID)).toEqual([groupId]);
  });

  it('pages contain each record once, in either order, even if both ids of its resource match the filter', async () => {
    const world = await start();
    const { timeline, principal } = world;
    const first = Date.parse('2026-11-20T12:00:00Z');
    const times = [1, 2, 2, 2, 3].map((second) => ({
      performedAt: first + second * 1_000,
      targetObject: String(second),
      resourceId: 'r1',
      resourceUid: 'r1',
    }));
    await write(world, ...times, { resourceId: 'r2', resourceUid: 'r2' });
    const read = async (order: TimelineOrder, filter: TimelineFilter) => {
      const seen: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const { records, next } = await timeline.page(principal, { ...filter, order, cursor, size: 2 });
        seen.push(...records.map(({ record }) => record.targetObject));
        if (next === null) return seen;
        cursor = next;
      }
    };
    for (const filter of [
      { resourceId: 'r1' },
      { service: 'test', resourceId: 'r1' },
      { resourceId: 'r1', service: 'test', action: 'create', resourceType: 'contract-group' },
    ]) {
      expect(await read('oldest', filter)).toEqual(['1', '2', '2', '2', '3']);
      expect(await read('newest', filter)).toEqual(['3', '2', '2', '2', '1']);
    }
    expect(await read('newest', { from: '2026-11-20T12:00:02Z', resourceId: 'r1' })).toEqual([
      '3',
      '2',
      '2',
      '2',
    ]);
  });

  it('reads a limited number of records per page, and returns every record over several pages', async () => {
    const world = await start();
    const { timeline, principal, callerIn, project } = world;
    const foreign = Array.from({ length: 2_500 }, () => ({ scope: world.other.uid, resourceId: 'busy' }));
    await write(world, { resourceId: 'busy', targetObject: 'first' });
    await write(world, ...foreign);
    await write(world, { resourceId: 'busy', targetObject: 'last', performedAt: Date.now() });
    for (const filter of [
      { from: '2026-11-20T00:00:00Z' },
      { service: 'test' },
      { service: 'test', action: 'create' },
      { resourceType: 'contract-group' },
      { resourceId: 'busy' },
    ]) {
      const pages: (string | undefined)[] = [];
      let cursor: string | undefined;
      do {
        const page = await timeline.page(principal, { ...filter, cursor, order: 'newest', size: 20 });
        pages.push(page.records.map(({ record }) => record.targetObject).join());
        cursor = page.next ?? undefined;
      } while (cursor !== undefined);
      expect(pages).toEqual(['last', '', 'first']);
    }
    const ofType = await timeline.byResourceType(principal, 'contract-group', '2026-11-20T00:00:00Z');
    expect(ofType.map(({ targetObject }) => targetObject)).toEqual(['first', 'last']);
    const places: [number, boolean][] = [];
    let [next, more] = [0, true];
    while (more) {
      const part = await timeline.since(principal, next);
      ({ next, more } = part);
      places.push([part.activities.length, more]);
    }
    expect(places).toEqual([
      [1, true],
      [0, true],
      [1, false],
    ]);
    const { next: cursor } = await timeline.page(principal, { service: 'test', order: 'oldest', size: 1 });
    const another = await callerIn(project);
    for (const wrong of [cursor ?? '', 'AAAA'])
      expect(
        await failure(timeline.page(another, { service: 'test', order: 'oldest', size: 1, cursor: wrong })),
      ).toMatchObject({ errors: [{ pointer: 'cursor' }] });
  });

  it('streams committed activities in the same order to all readers, and resumes after any id', async () => {
    const world = await start();
    const { timeline, principal } = world;
    const past = await timeline.latest();
    await write(world, { resourceId: '1' }, { resourceId: '2' });
    const readers = await Promise.all([timeline.since(principal, past), timeline.since(principal, past, 1)]);
    expect(readers[0].activities.map(({ record }) => record.resourceID)).toEqual(['1', '2']);
    expect(readers[1].activities.map(({ record }) => record.resourceID)).toEqual(['1']);
    const rest = await timeline.since(principal, readers[1].next);
    expect(rest.activities.map(({ record }) => record.resourceID)).toEqual(['2']);
    expect(await timeline.since(principal, rest.next)).toEqual({
      activities: [],
      next: rest.next,
      more: false,
    });
    await write(world, { scope: world.other.uid }, { resourceId: '3' });
    const more = await timeline.since(principal, rest.next);
    expect(more.activities.map(({ record }) => record.resourceID)).toEqual(['3']);
    await write(world, { scope: world.other.uid });
    const unseen = await timeline.since(principal, more.next);
    expect(unseen.activities).toEqual([]);
    expect(unseen.next).toBeGreaterThan(more.next);
  });

  it('reads every activity exactly once during concurrent writes', async () => {
    const world = await start();
    const { timeline, principal, store } = world;
    const writers = Array.from({ length: 20 }, (_, i) =>
      store.transaction((tx) =>
        recordActivity(tx, world.caller, activity(world, { resourceId: `n${i}` }), 1),
      ),
    );
    const seen: string[] = [];
    let next = 0;
    const read = async () => {
      const page = await timeline.since(principal, next, 3);
      seen.push(...page.activities.map(({ record }) => record.resourceID));
      next = page.next;
      return page.activities.length;
    };
    while (seen.length < 5) {
      await read();
      // Yields to the writers, because SQLite reads resolve in microtasks.
      await setImmediate();
    }
    await Promise.all(writers);
    while ((await read()) > 0) await setImmediate();
    expect(seen.toSorted()).toEqual(Array.from({ length: 20 }, (_, i) => `n${i}`).toSorted());
  });

  it('a change whose transaction fails does not leave an activity', async () => {
    const world = await start();
    const work = world.store.transaction(async (tx) => {
      await recordActivity(tx, world.caller, activity(world), 1);
      throw new TypeError('no');
    });
    expect(await failure(work)).toBeInstanceOf(TypeError);
    expect(await world.timeline.byResource(world.principal, 'one')).toEqual([]);
  });
});
