import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useProject } from '../api/access.ts';
import { personQuery } from '../api/queries.ts';
import { accessParts } from '../app/access-search.ts';
import { Card, Empty, Loading, PageHead } from '../ui/layout.tsx';
import { Pills } from '../ui/pills.tsx';
import { Accounts } from './access/accounts.tsx';
import { Apps } from './access/apps.tsx';
import { Invitations } from './access/invitations.tsx';
import { May } from './access/may.tsx';
import { Projects } from './access/projects.tsx';
import { Roles } from './access/roles.tsx';
import { Storage } from './access/storage.tsx';

const route = getRouteApi('/frame/access');

export function Access() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const project = useProject();
  // Without a project, the user can only create or restore one, so only that tab is shown.
  const hasNoProject = useQuery(personQuery()).data?.projects.length === 0;
  const { unknown } = search;
  const { part = unknown === undefined ? 'people' : '', who } = hasNoProject
    ? { part: 'projects' as const }
    : search;
  return (
    <>
      <PageHead
        title="Access"
        about="People, service accounts and applications, and the roles that let them act. A request has the permissions that both its identity and its application have."
      />
      {hasNoProject ? null : (
        <div className="mb-5">
          <Pills
            label="Tabs"
            options={accessParts}
            value={part}
            choose={(value) => void navigate({ search: { part: value } })}
          />
        </div>
      )}
      {part === '' ? (
        <Card>
          <Empty title={`There is no tab “${unknown}”`}>Choose one of the tabs above.</Empty>
        </Card>
      ) : part === 'projects' ? (
        <Projects />
      ) : project === undefined ? (
        <Loading />
      ) : (
        {
          people: <Roles project={project} />,
          accounts: <Accounts project={project} />,
          apps: <Apps project={project} />,
          invitations: <Invitations project={project} />,
          storage: <Storage project={project} />,
          may: <May key={who} project={project} who={who ?? ''} />,
        }[part]
      )}
    </>
  );
}
