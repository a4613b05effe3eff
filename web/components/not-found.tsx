import { Link } from "../lib/router.tsx";

/** What an address shows at which nothing is. */
export function NotFound() {
  return (
    <div class="empty">
      <h1>There is nothing here</h1>
      <p class="soft">The address is mistyped, or what was here is gone.</p>
      <Link to="/drives" class="button">
        Go to your drives
      </Link>
    </div>
  );
}
