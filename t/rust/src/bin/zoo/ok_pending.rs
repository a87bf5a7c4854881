//! Tasks that wait for ever, and mean it.
//! expect: nothing suspected; inconclusive, for nothing says that the last one is meant
use corotrace::tokio;

pub fn main() {
    rust_zoo::on_tokio(|| {
        tokio::spawn(std::future::pending::<()>());
        tokio::spawn(async {
            tokio::time::sleep(rust_zoo::ms(10)).await;
            corotrace::pending::<()>().await
        });
        tokio::spawn(async {
            tokio::time::sleep(rust_zoo::ms(10)).await;
            std::future::pending::<()>().await
        });
    });
}
