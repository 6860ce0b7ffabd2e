/**
 * Preloaded (`node --import`) into each process that the local system starts: when the supervisor
 * exits, even by kill -9, the channel to it closes and this process exits as well. In production
 * processes start without it.
 */
process.on('disconnect', () => {
  process.exit(1);
});
// The listener must not keep a process alive that has finished its work.
process.channel?.unref();
