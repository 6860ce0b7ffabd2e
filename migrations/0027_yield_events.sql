-- What a vault has moved to and from the yield reserve, among all of its transfers.
create index program_event_yield on program_event (vault)
  where name in ('YieldInitialized', 'YieldDeposited', 'YieldWithdrawn', 'TokenAccountSwept');
