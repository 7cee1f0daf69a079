import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { grantsQuery, useProject } from '../api/access.ts';
import { personQuery } from '../api/queries.ts';
import { type Activity, resourceTypes, spans, timelineQuery } from '../api/timeline.ts';
import { readTimelineFilter } from '../app/timeline-filter.ts';
import { sentenceText, shortText } from '../lib/format.ts';
import type { Column } from '../ui/data-table.tsx';
import { Select } from '../ui/field.tsx';
import { Empty, PageHead } from '../ui/layout.tsx';
import { Records } from '../ui/records.tsx';
import { Time } from '../ui/text.tsx';

const route = getRouteApi('/frame/timeline');

/** Who changed which record, and when. */
export function Timeline() {
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const list = useQuery({ ...timelineQuery(filter), placeholderData: (before) => before });
  const nameOf = useNames();
  const set = (change: { type: string } | { days: string }) =>
    void navigate({ search: readTimelineFilter({ ...filter, ...change }), replace: true });
  const columns: Column<Activity>[] = [
    {
      id: 'what',
      header: 'What',
      cell: (one) => (
        <div className="min-w-0">
          <p className="font-medium wrap-anywhere">{sentenceText(one.action)}</p>
          <p className="text-xs wrap-anywhere text-ink-3">
            {sentenceText(one.resourceType)} {shortText(one.resourceId, 12)}
            {one.target === '' ? '' : `: ${one.target}`}
          </p>
          <p className="text-xs wrap-anywhere text-ink-3 sm:hidden">
            {nameOf(one.serviceId)}, <Time at={one.performedAt} />
          </p>
        </div>
      ),
    },
    { id: 'serviceId', header: 'Who', from: 'sm', cell: (one) => nameOf(one.serviceId) },
    { id: 'projectId', header: 'Project', from: 'md', cell: (one) => one.projectId },
    {
      id: 'performedAt',
      header: 'When',
      align: 'right',
      from: 'sm',
      cell: (one) => <Time at={one.performedAt} />,
    },
  ];
  const { activities, hasMore = false } = list.data ?? {};
  return (
    <>
      <PageHead
        title="Timeline"
        about="Who changed which record, and when; of operations, when each was accepted, signed and ended."
      />
      <search className="mb-4 grid max-w-md grid-cols-2 gap-2">
        <Select
          label="Kind of record"
          hideLabel
          value={filter.type ?? ''}
          onChange={({ target }) => set({ type: target.value })}
        >
          <option value="">Every kind</option>
          {resourceTypes.map((type) => (
            <option key={type} value={type}>
              {sentenceText(type)}
            </option>
          ))}
        </Select>
        <Select
          label="How far back"
          hideLabel
          value={filter.days ?? 1}
          onChange={({ target }) => set({ days: target.value })}
        >
          {spans.map((days) => (
            <option key={days} value={days}>
              {days === 1 ? 'The last day' : `The last ${days} days`}
            </option>
          ))}
        </Select>
      </search>
      <Records
        label="Timeline"
        list={{ data: activities, error: list.error }}
        columns={columns}
        rowId={({ activityId }) => activityId}
        empty={
          <Empty title="Nothing changed">Look further back, or at every kind of record, to see more.</Empty>
        }
      >
        {hasMore ? (
          <p className="border-t border-line px-5 py-3 text-sm text-ink-2">
            {activities?.length === 0 ? 'The newest were looked through' : `The newest ${activities?.length}`}
            : there are more. Another kind of record, or fewer days, narrows them.
          </p>
        ) : null}
      </Records>
    </>
  );
}

/** Names of identities, as far as roles here show them. */
function useNames(): (serviceId: string) => string {
  const project = useProject();
  const person = useQuery(personQuery()).data;
  const ofProject = useQuery({ ...grantsQuery(project?.uid ?? ''), enabled: project !== undefined });
  const ofOrganization = useQuery({
    ...grantsQuery(project?.organizationId ?? ''),
    enabled: project !== undefined,
  });
  const names = new Map(
    [...(ofProject.data ?? []), ...(ofOrganization.data ?? [])].map(({ serviceId, identifier }) => [
      serviceId,
      identifier,
    ]),
  );
  return (serviceId) => {
    if (serviceId === '') return 'the service';
    if (serviceId === person?.serviceId) return person.identifier;
    return names.get(serviceId) ?? shortText(serviceId);
  };
}
