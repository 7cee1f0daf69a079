import { expectProblem, problemOf } from '@ledger-ops/auth/testing';
import { describeDialects } from '@ledger-ops/store/testing';
import { beforeAll, expect, it } from 'vitest';
import { type Party, type World, world } from './world.ts';

describeDialects('paged listings', (open) => {
  let w: World;
  let party: Party;
  const names = Array.from({ length: 23 }, (_, i) => `a${String(i).padStart(2, '0')}`);
  beforeAll(async () => {
    w = await world(await open());
    party = await w.party('Pages');
    await w.here.change(async (tx) => {
      for (const [i, appId] of names.entries()) {
        await w.here.auth.createApp(tx, {
          appId,
          name: i % 2 === 0 ? 'even' : 'odd',
          projectUid: party.tenant.projectUid,
        });
      }
      await w.here.auth.createApp(tx, {
        appId: 'foreign',
        name: 'even',
        projectUid: w.other.tenant.projectUid,
      });
    });
  });
  const list = async (query: object) => {
    const page = await w.call('listAppsOfProject', party.owner, {
      params: { project: party.projectId },
      query,
    });
    expect(page.pageElements).toBe(page.pageContent.length);
    return { ...page, ids: page.pageContent.map(({ appId }) => appId) };
  };
  const all = () => [party.tenant.app.appId, ...names];

  it('listings start at page 0 with 20 items in order of creation, and return the total number', async () => {
    const page = await list({});
    expect(page).toMatchObject({
      contentType: 'AppPage',
      pageNumber: 0,
      pageElements: 20,
      totalElements: 24,
      totalPages: 2,
    });
    expect(page.ids).toEqual(all().slice(0, 20));
    expect((await list({ page: '1' })).ids).toEqual(all().slice(20));
  });

  it('listings return empty pages after the last one', async () => {
    expect(await list({ size: '8', page: '2' })).toMatchObject({ pageElements: 8, totalPages: 3 });
    expect(await list({ size: '8', page: '3' })).toMatchObject({
      pageElements: 0,
      totalElements: 24,
      totalPages: 3,
      pageContent: [],
    });
    expect(await list({ size: '5', page: '4' })).toMatchObject({ pageElements: 4, totalPages: 5 });
    expect((await list({ page: '999999999' })).ids).toEqual([]);
    expect(await list({ size: '100' })).toMatchObject({ pageElements: 24, totalPages: 1 });
    expect(await list({ resourceId: 'foreign' })).toMatchObject({ totalElements: 0, totalPages: 0 });
  });

  it('listings refuse sizes and pages out of range', async () => {
    for (const [query, pointer] of [
      [{ size: '4' }, 'size'],
      [{ size: '101' }, 'size'],
      [{ size: '' }, 'size'],
      [{ size: '5.5' }, 'size'],
      [{ size: '-20' }, 'size'],
      [{ size: '1e2' }, 'size'],
      [{ page: '-1' }, 'page'],
      [{ page: 'x' }, 'page'],
      [{ page: '99999999999' }, 'page'],
      [{ sort: ['tokenHash'] }, 'sort'],
      [{ sort: ['constructor'] }, 'sort'],
      [{ sort: ['desc'] }, 'sort'],
      [{ sort: ['name', 'desc', 'asc'] }, 'sort'],
      [{ sort: ['name', 'name'] }, 'sort'],
    ] as const) {
      const problem = await problemOf(list(query));
      expect([problem.problem, problem.errors[0]?.pointer], JSON.stringify(query)).toEqual([
        'invalid-request',
        pointer,
      ]);
    }
    await expectProblem(list({ sort: ['name; drop table app'] }), 'invalid-request');
  });

  it('listings sort by several keys in a total order over all pages', async () => {
    const sorted = async (sort: string[]) => {
      const pages = [];
      for (let page = 0; page < 5; page += 1)
        pages.push(...(await list({ sort, size: '5', page: String(page) })).ids);
      return pages;
    };
    const even = names.filter((_, i) => i % 2 === 0);
    const odd = names.filter((_, i) => i % 2 === 1);
    const [own = ''] = all();
    expect(await sorted(['name', 'desc', 'appId', 'desc'])).toEqual([
      ...odd.toReversed(),
      ...even.toReversed(),
      own,
    ]);
    expect(await sorted(['name'])).toEqual([own, ...even, ...odd]);
    expect(await sorted(['appId'])).toEqual(all().toSorted());
    expect(await sorted(['id', 'desc'])).toEqual(all().toReversed());
    expect(await sorted(['appURL', 'desc', 'id'])).toEqual(all());
  });

  it('the total of a listing counts only records that the caller may see', async () => {
    const member = await w.member(party, 'viewer', party.tenant.app.uid);
    const page = await w.call('listAppsOfProject', member, { params: { project: party.projectId } });
    expect(page).toMatchObject({ totalElements: 1, pageElements: 1, totalPages: 1 });
  });
});
